# Sourced by bin/sites and bin/test after common.sh: Debian packages, installed on demand.

# Installs the given Debian packages, if possible.
install() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    local output
    say "installing $* ..."
    output=$(apt-get update -qq 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" 2>&1) ||
      say "they cannot be installed: ${output##*$'\n'}"
  fi
}

# Runs $@ while packages that are installed do not start their services.
without_services() {
  local policy=/usr/sbin/policy-rc.d
  if [ -e "$policy" ] || ! [ -w "${policy%/*}" ]; then
    "$@"
    return
  fi
  (
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
    "$@"
  )
}
