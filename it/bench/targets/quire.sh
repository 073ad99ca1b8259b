#!/usr/bin/env bash
# title: Quire
# dialect: esi
# tls: bash
#
# bin/quire with its own JVM options and defaults, but without access log: the other targets write none
# either. QUIRE_BENCH_MIB limits the memory for responses. With QUIRE_BENCH_BANS it answers BAN requests.
set -euo pipefail
cat >"$3/quire.yaml" <<CONFIGURATION
log:
  access: off
${QUIRE_BENCH_MIB:+cache: { memory: ${QUIRE_BENCH_MIB}MiB \}}
${QUIRE_BENCH_BANS:+invalidation: { methods: [BAN], from: [127.0.0.1] \}}
listen:
  https: "127.0.0.1:$4"
tls:
  certificates: [ { cert: "$QUIRE_BENCH_CERTIFICATE", key: "$QUIRE_BENCH_KEY" } ]
CONFIGURATION
exec "$QUIRE_ROOT/bin/quire" run --config "$3/quire.yaml" --to "http://127.0.0.1:$1" \
  --listen "127.0.0.1:$2" --admin 127.0.0.1:0
