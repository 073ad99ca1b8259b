#!/usr/bin/env bash
# title: Quire (memory and disk)
# dialect: esi
# workloads: beside
#
# With less memory than the objects of the load beside need, so that most of them are read from the disk
# tier; the measured one is popular and stays in memory. QUIRE_BENCH_MIB is another limit of
# memory.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/quire.bash"
cat >"$3/quire.yaml" <<CONFIGURATION
$(quire_site "$1")
cache:
  memory: ${QUIRE_BENCH_MIB:-32}MiB
disk:
  path: "$QUIRE_BENCH_DISK/quire-tiers"
  size: 1GiB
  write-limit: 1GiB/s
CONFIGURATION
exec "$QUIRE_ROOT/bin/quire" run --config "$3/quire.yaml" \
  --listen "127.0.0.1:$2" --admin 127.0.0.1:0
