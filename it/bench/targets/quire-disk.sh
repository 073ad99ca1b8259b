#!/usr/bin/env bash
# title: Quire (disk)
# dialect: esi
# workloads: many-16k many-100k many-1m
#
# Without memory for responses, so that each hit is read from the disk tier; as nginx-disk, on the same
# file system, with the same limit, which QUIRE_BENCH_MIB overrides. Without the limit of writing, which would delay the preparation.
# Responses from 4 KiB on leave from their files, as those of nginx do; by default from 16 KiB on.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/quire.bash"
cat >"$3/quire.yaml" <<CONFIGURATION
$(quire_site "$1")
cache:
  memory: 0
disk:
  path: "$QUIRE_BENCH_DISK/quire-disk"
  size: ${QUIRE_BENCH_MIB:-1024}MiB
  write-limit: 1GiB/s
  sendfile-from: 4KiB
CONFIGURATION
exec "$QUIRE_ROOT/bin/quire" run --config "$3/quire.yaml" \
  --listen "127.0.0.1:$2" --admin 127.0.0.1:0
