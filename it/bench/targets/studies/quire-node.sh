#!/usr/bin/env bash
# title: Quire (two nodes)
# needs: redis-server
# package: redis-server
# dialect: esi
#
# The node QUIRE_BENCH_NODE of a fleet, with memory of its own and the Redis at port
# QUIRE_BENCH_STORE_PORT, which the node n1 starts.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib/quire.bash"
cat >"$3/quire.yaml" <<CONFIGURATION
$(quire_site "$1")
shared:
  servers: ["127.0.0.1:$QUIRE_BENCH_STORE_PORT"]
  timeout: ${QUIRE_BENCH_TIMEOUT:-20ms}
fleet:
  name: bench
  node: $QUIRE_BENCH_NODE
CONFIGURATION
trap 'kill $(jobs -p)' TERM INT EXIT
if [ "$QUIRE_BENCH_NODE" = n1 ]; then
  redis-server --bind 127.0.0.1 --port "$QUIRE_BENCH_STORE_PORT" --save "" --appendonly no --dir "$3" \
    --logfile "$3/redis.log" &
fi
"$QUIRE_ROOT/bin/quire" run --config "$3/quire.yaml" \
  --listen "127.0.0.1:$2" --admin 127.0.0.1:0 &
wait -n
