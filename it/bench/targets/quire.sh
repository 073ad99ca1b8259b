#!/usr/bin/env bash
# title: Quire
# dialect: esi
#
# bin/quire with its own JVM options and defaults, but without access log: the other targets write none
# either.
set -euo pipefail
cat >"$3/quire.yaml" <<CONFIGURATION
log:
  access: off
CONFIGURATION
exec "$QUIRE_ROOT/bin/quire" run --config "$3/quire.yaml" --to "http://127.0.0.1:$1" \
  --listen "127.0.0.1:$2" --admin 127.0.0.1:0
