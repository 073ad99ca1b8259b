#!/usr/bin/env bash
# title: Quire (Memcached)
# needs: memcached
# package: memcached
# dialect: esi
#
# Without memory for responses, so that each hit is read from Memcached on the same machine; as
# quire-shared with Redis.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib/quire.bash"
store_port=$4
cat >"$3/quire.yaml" <<CONFIGURATION
$(quire_site "$1")
cache:
  memory: 0
shared:
  type: memcached
  servers: ["127.0.0.1:$store_port"]
  timeout: ${QUIRE_BENCH_TIMEOUT:-20ms}
CONFIGURATION
user=()
[ "$(id -u)" != 0 ] || user=(-u nobody)
memcached -l 127.0.0.1 -p "$store_port" -m 512 -c 4096 ${user[@]+"${user[@]}"} &
trap 'kill $(jobs -p)' TERM INT EXIT
"$QUIRE_ROOT/bin/quire" run --config "$3/quire.yaml" \
  --listen "127.0.0.1:$2" --admin 127.0.0.1:0 &
wait -n
