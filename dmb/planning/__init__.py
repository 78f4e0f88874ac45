"""Config, tables and locks -> cells, keys and paths. Used by the Snakefile and by the commands."""
