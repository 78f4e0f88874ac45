#!/bin/sh
# How one job of Slurm's is doing, in the one word that the executor asks for.
said=$(squeue --noheader --states=all --format=%T --jobs="$1" 2>&1)
case "$said" in
  COMPLETED) echo success ;;
  BOOT_FAIL | CANCELLED | DEADLINE | FAILED | NODE_FAIL | OUT_OF_MEMORY | TIMEOUT) echo failed ;;
  # ended so long ago that it is forgotten: nobody knows how, and the next start finds out from the evidence
  *"Invalid job id"*) echo failed ;;
  # waiting, at work, or Slurm does not answer right now
  *) echo running ;;
esac
