#!/usr/bin/env bash
# title: Quire (shared tier)
# needs: redis-server
# package: redis-server
# dialect: esi
# workloads: many-1k many-page
#
# Without memory for responses, so that each hit is read from Redis on the same machine; as
# varnish-shield, whose edge has nothing either.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/quire.bash"
store_port=$4
cat >"$3/quire.yaml" <<CONFIGURATION
$(quire_site "$1")
cache:
  memory: 0
shared:
  servers: ["127.0.0.1:$store_port"]
  timeout: ${QUIRE_BENCH_TIMEOUT:-20ms}
fleet:
  name: bench
  node: n1
CONFIGURATION
redis-server --bind 127.0.0.1 --port "$store_port" --save "" --appendonly no --dir "$3" \
  --logfile "$3/redis.log" &
trap 'kill $(jobs -p)' TERM INT EXIT
"$QUIRE_ROOT/bin/quire" run --config "$3/quire.yaml" \
  --listen "127.0.0.1:$2" --admin 127.0.0.1:0 &
wait -n
