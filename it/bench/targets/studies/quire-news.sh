#!/usr/bin/env bash
# title: Quire
# dialect: esi
#
# As quire.sh, in front of the sample site: QUIRE_VARIANT_SECRET is the secret of its variants.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib/quire.bash"
cat >"$3/quire.yaml" <<CONFIGURATION
$(quire_site "$1")
cache: { memory: 1GiB }
variants:
  secret: "\${QUIRE_VARIANT_SECRET}"
CONFIGURATION
exec "$QUIRE_ROOT/bin/quire" run --config "$3/quire.yaml" \
  --listen "127.0.0.1:$2" --admin 127.0.0.1:0
