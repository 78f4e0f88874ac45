#!/usr/bin/env bash
# A real Slurm of several nodes on one machine, for the tests and for trying things out. As root, without systemd.
#
#   scripts/minislurm.sh install    the packages (Debian, Ubuntu); starts nothing
#   scripts/minislurm.sh start      munge, the controller, $NODES nodes; prints how to reach it
#   scripts/minislurm.sh env        the same line again: export SLURM_CONF=...
#   scripts/minislurm.sh lose N     node N breaks down: its daemon and the processes of its jobs end at once
#   scripts/minislurm.sh revive N   and comes back
#   scripts/minislurm.sh stop       ends exactly what `start` has started
#
# MINISLURM_ACCOUNTING=1 for install and start: with a database, so that sacct works.
# Exit code 3: this machine cannot do it, and the reason is on stderr.
set -euo pipefail

dir=${MINISLURM_DIR:-/var/tmp/dmb-minislurm}
nodes=${NODES:-3}
cpus=${CPUS:-8}           # what each node claims; the machine may have fewer
memory=${MEMORY:-32000}   # MB, likewise
port=${PORT:-17830}       # and as many above it as there are nodes
accounting=${MINISLURM_ACCOUNTING:-}
default=/etc/slurm/slurm.conf
conf=$dir/slurm.conf
# what its jobs are known by, and no others
cluster=dmb$(printf %s "$dir" | cksum | cut -d ' ' -f 1)

say() { echo "minislurm: $*" >&2; }
cannot() { say "$*"; exit 3; }

# -- processes: each is known by a file with its id, and by its own start time, so that no other one is ever ended

started_at() { awk '{ sub(/.*\) /, "") } $1 != "Z" { print $20 }' "/proc/$1/stat" 2>/dev/null; }
note() { echo "$2 $(started_at "$2")" > "$dir/run/$1.is"; }
lives() { # lives NAME: prints the id of the process that was noted, where it is still that one
  local pid start
  read -r pid start 2>/dev/null < "$dir/run/$1.is" || return 1
  [ -n "$start" ] && [ "$(started_at "$pid")" = "$start" ] && echo "$pid"
}
end() { # end NAME: asked to, and made to after five seconds
  local pid
  pid=$(lives "$1") || return 0
  kill -TERM "$pid" 2>/dev/null || return 0
  for _ in $(seq 50); do [ "$(lives "$1")" = "$pid" ] || { rm -f "$dir/run/$1.is"; return 0; }; sleep 0.1; done
  kill -KILL "$pid" 2>/dev/null || true
  rm -f "$dir/run/$1.is"
}
patient() { # patient SECONDS WHAT COMMAND...
  local what=$2 turns=$(($1 * 10))
  shift 2
  for _ in $(seq "$turns"); do "$@" > /dev/null 2>&1 && return 0; sleep 0.1; done
  say "$what did not come up; the ends of the logs:"
  tail -n 5 "$dir"/log/*.log >&2 || true
  return 1
}
noted_by() { # noted_by NAME PIDFILE: a daemon has gone to the background and says which process it is
  patient 20 "$1" test -s "$2"
  note "$1" "$(cat "$2")"
}

# -- commands

have() { local name; for name in "$@"; do command -v "$name" > /dev/null || return 1; done; }

check() {
  [ "$(id -u)" = 0 ] || cannot "needs root, for several nodes on one machine"
  [ "$(uname -s)" = Linux ] || cannot "needs Linux"
}

install() {
  check
  local packages=(slurmctld slurmd slurm-client munge slurm-wlm-basic-plugins) policy=/usr/sbin/policy-rc.d made=
  [ -z "$accounting" ] || packages+=(slurmdbd mariadb-server)
  if have slurmctld slurmd munged sbatch && { [ -z "$accounting" ] || have slurmdbd mariadbd; }; then
    return 0
  fi
  command -v apt-get > /dev/null || cannot "no apt-get here; install by other means: ${packages[*]}"
  # a package must not start a daemon of its own
  if [ ! -e "$policy" ]; then printf '#!/bin/sh\nexit 101\n' > "$policy" && chmod +x "$policy" && made=1; fi
  local code=0
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"; } > /dev/null || code=$?
  [ -z "$made" ] || rm -f "$policy"
  [ "$code" = 0 ] || cannot "the packages could not be installed: ${packages[*]}"
}

write_configuration() {
  local host storage=accounting_storage/none
  host=$(hostname -s)
  [ -z "$accounting" ] || storage="accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((port - 1))
AccountingStoragePass=$dir/munge/socket"
  cat > "$conf" << END
ClusterName=$cluster
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
# a job of a lost node waits until its credential has run out before it starts elsewhere
AuthInfo=socket=$dir/munge/socket,cred_expire=5
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd-%n.log
# no cgroups: they may not be there, and several nodes would share them
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
# jobs spread over the nodes
SelectTypeParameters=CR_CPU_Memory,CR_LLN
SlurmdParameters=config_overrides
ReturnToService=2
# a lost node is noticed, and a job ended, within seconds
SlurmdTimeout=5
KillWait=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
# squeue knows a job for so long after its end
MinJobAge=300
AccountingStorageType=$storage
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}

check_default() { # jobs are started without SLURM_CONF, so the configuration must stand where Slurm looks by itself
  mkdir -p "${default%/*}"
  if [ -L "$default" ]; then
    local there
    there=$(readlink "$default")
    # the link of a checkout that is gone, or that has stopped
    if [ "$there" != "$conf" ] && [ -e "${there%/*}/run/munged.is" ] && MINISLURM_DIR=${there%/*} "$0" running; then
      cannot "another one runs in ${there%/*}; stop it first: MINISLURM_DIR=${there%/*} $0 stop"
    fi
  elif [ -e "$default" ]; then
    cannot "$default is there and not ours: this machine has a Slurm of its own"
  fi
}

start_database() {
  [ -d "$dir/db/mysql" ] || mariadb-install-db --no-defaults --user=root --datadir="$dir/db" --auth-root-authentication-method=normal > "$dir/log/install-db.log" 2>&1
  mariadbd --no-defaults --user=root --datadir="$dir/db" --socket="$dir/run/mariadb.socket" --skip-networking --innodb-lock-wait-timeout=900 > "$dir/log/mariadb.log" 2>&1 &
  note mariadb $!
  patient 60 mariadb mariadb --no-defaults -S "$dir/run/mariadb.socket" -e 'select 1'
  cat > "$dir/slurmdbd.conf" << END
DbdHost=$(hostname -s)
DbdAddr=127.0.0.1
DbdPort=$((port - 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm_accounting
LogFile=$dir/log/slurmdbd.log
PidFile=$dir/run/slurmdbd.pid
END
  chmod 600 "$dir/slurmdbd.conf"
  # the client library takes this socket for the host named localhost
  MYSQL_UNIX_PORT=$dir/run/mariadb.socket slurmdbd
  noted_by slurmdbd "$dir/run/slurmdbd.pid"
  patient 60 slurmdbd sacctmgr -n list cluster
  sacctmgr -n -i add cluster "$cluster" > /dev/null 2>&1 || true
  sacctmgr -n -i add account mini Cluster=$cluster > /dev/null 2>&1 || true
  sacctmgr -n -i add user root Account=mini Cluster=$cluster AdminLevel=Admin > /dev/null 2>&1 || true
}

node() { # node N
  mkdir -p "$dir/spool/n$1"
  rm -f "$dir/run/slurmd-n$1.pid"
  slurmd -c -N "n$1"
  noted_by "slurmd-n$1" "$dir/run/slurmd-n$1.pid"
}

all_idle() { [ "$(sinfo -h -t idle -o %D | awk '{ n += $1 } END { print n + 0 }')" = "$nodes" ]; }

start() {
  check
  have slurmctld slurmd munged sbatch || cannot "Slurm is not installed; $0 install"
  if running; then say "runs already in $dir"; return 0; fi
  check_default
  stop
  rm -rf "$dir/state" "$dir/spool" "$dir/run" "$dir/log"
  mkdir -p "$dir"/{log,run,state,spool,munge,db}
  chmod 755 "$dir"
  write_configuration
  ln -sfn "$conf" "$default"
  # a key and a socket of its own: nothing of the system is touched
  (umask 077 && head -c 1024 /dev/urandom > "$dir/munge/key")
  chmod 711 "$dir/munge"
  munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/run/munged.pid" --log-file="$dir/log/munged.log" --seed-file="$dir/munge/seed"
  noted_by munged "$dir/run/munged.pid"
  export SLURM_CONF=$conf
  [ -z "$accounting" ] || start_database
  slurmctld -c
  noted_by slurmctld "$dir/run/slurmctld.pid"
  for n in $(seq "$nodes"); do node "$n"; done
  patient 60 "$nodes idle nodes" all_idle
  environment
}

environment() { echo "export SLURM_CONF=$conf"; }

running() { lives munged > /dev/null && lives slurmctld > /dev/null; }

of_jobs() { # of_jobs [N]: processes of jobs, on node N; a job that was ended may leave some whose parent is gone
  local found
  for found in /proc/[0-9]*/environ; do
    cat "$found" 2> /dev/null | tr '\0' '\n' | awk -v cluster="SLURM_CLUSTER_NAME=$cluster" -v node="SLURMD_NODENAME=n${1:-}" -v any="${1:-any}" '
      $0 == cluster { ours = 1 } $0 == node { there = 1 } END { exit !(ours && (any == "any" || there)) }' || continue
    found=${found%/environ}
    echo "${found#/proc/}"
  done
}

lose() { # lose N: a node without power; that it is silent would be noticed within half a minute, and is told here
  export SLURM_CONF=$conf
  local job daemon jobs
  daemon=$(lives "slurmd-n$1") || cannot "node n$1 is not up"
  jobs=$(squeue -h -t RUNNING,COMPLETING -w "n$1" -o %A)
  kill -KILL "$daemon"
  rm -f "$dir/run/slurmd-n$1.is"
  for job in $jobs; do pgrep -f "^slurmstepd: \[$job\." | xargs -r kill -KILL 2> /dev/null || true; done
  of_jobs "$1" | xargs -r kill -KILL 2> /dev/null || true
  scontrol update "NodeName=n$1" State=DOWN Reason=lost
}

revive() { # revive N
  export SLURM_CONF=$conf
  [ -n "$(lives "slurmd-n$1")" ] || node "$1"
  scontrol update "NodeName=n$1" State=RESUME 2> /dev/null || true
}

stop() {
  [ -d "$dir/run" ] || return 0
  local n name
  export SLURM_CONF=$conf
  if running && [ -n "$(squeue -h 2>/dev/null)" ]; then
    # jobs end with the cluster that they run on
    squeue -h -o %A | xargs -r scancel 2>/dev/null || true
    patient 15 "the end of its jobs" sh -c '[ -z "$(squeue -h -t RUNNING,COMPLETING)" ]' || true
  fi
  local slurmds
  slurmds=$(cd "$dir/run" && ls -- slurmd-*.is 2> /dev/null | sed 's/\.is$//') || true
  # asked all at once, and waited for one after the other
  for name in $slurmds slurmctld; do kill -TERM "$(lives "$name")" 2> /dev/null || true; done
  for name in $slurmds slurmctld slurmdbd mariadb; do end "$name"; done
  # it has nothing to put away, and would take ten seconds
  kill -KILL "$(lives munged)" 2> /dev/null || true
  end munged
  of_jobs | xargs -r kill -KILL 2> /dev/null || true
  if [ "$(readlink "$default" 2>/dev/null)" = "$conf" ]; then rm -f "$default"; fi
}

case ${1:-} in
  install) install ;;
  start) start ;;
  env) environment ;;
  running) running ;;
  lose) lose "${2:?which node}" ;;
  revive) revive "${2:?which node}" ;;
  stop) stop ;;
  *) sed -n '2,13p' "$0"; exit 2 ;;
esac
