#!/usr/bin/env bash
# title: Quire
# dialect: esi
#
# As quire.sh, in front of the sample site: QUIRE_VARIANT_SECRET is the secret of its variants.
set -euo pipefail
cat >"$3/quire.yaml" <<'CONFIGURATION'
log:
  access: off
variants:
  secret: "${QUIRE_VARIANT_SECRET}"
CONFIGURATION
exec "$QUIRE_ROOT/bin/quire" run --config "$3/quire.yaml" --to "http://127.0.0.1:$1" \
  --listen "127.0.0.1:$2" --admin 127.0.0.1:0
