#!/usr/bin/env bash
# title: Quire
# dialect: esi
# tls: bash
#
# bin/quire with its own JVM options and defaults, but without access log: the other targets write none
# either. QUIRE_BENCH_MIB limits the memory for responses, QUIRE_BENCH_GRACE is the grace of responses.
# With QUIRE_BENCH_BANS it answers BAN requests.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/quire.bash"
cat >"$3/quire.yaml" <<CONFIGURATION
$(quire_site "$1")
cache: { ${QUIRE_BENCH_MIB:+memory: ${QUIRE_BENCH_MIB}MiB,} ${QUIRE_BENCH_GRACE:+grace: $QUIRE_BENCH_GRACE} }
${QUIRE_BENCH_BANS:+invalidation: { methods: [BAN], from: [127.0.0.1] \}}
listen:
  https: "127.0.0.1:$4"
tls:
  certificates: [ { cert: "$QUIRE_BENCH_CERTIFICATE", key: "$QUIRE_BENCH_KEY" } ]
CONFIGURATION
exec "$QUIRE_ROOT/bin/quire" run --config "$3/quire.yaml" \
  --listen "127.0.0.1:$2" --admin 127.0.0.1:0
