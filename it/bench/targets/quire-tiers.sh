#!/usr/bin/env bash
# title: Quire (memory and disk)
# dialect: esi
# workloads: beside
#
# With less memory than the objects of the load beside need, so that most of them are read from the disk
# tier; the measured one is popular and stays in memory. QUIRE_BENCH_MIB is another limit of
# memory.
set -euo pipefail
cat >"$3/quire.yaml" <<CONFIGURATION
log:
  access: off
cache:
  memory: ${QUIRE_BENCH_MIB:-32}MiB
disk:
  path: "$QUIRE_BENCH_DISK/quire-tiers"
  size: 1GiB
  write-limit: 1GiB/s
CONFIGURATION
exec "$QUIRE_ROOT/bin/quire" run --config "$3/quire.yaml" --to "http://127.0.0.1:$1" \
  --listen "127.0.0.1:$2" --admin 127.0.0.1:0
