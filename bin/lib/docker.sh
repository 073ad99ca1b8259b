# Sourced by bin/image and bin/test after common.sh: Docker, a private daemon if none is running,
# and images built from Debian packages without a registry.

has_docker() {
  command -v docker >/dev/null && timeout 20 docker version >/dev/null 2>&1
}

# Starts a daemon that runs as long as this script; fails if that is not allowed. It gets no
# options: its defaults (overlay2, a bridge, iptables) work in a virtual machine, and the next
# daemon finds its images again.
start_docker() {
  local tries
  [ "$(id -u)" = 0 ] && command -v dockerd >/dev/null || return 1
  say "starting dockerd ..."
  DOCKERD_LOG=$(mktemp)
  # In its own session, away from this terminal's signals: containers must stop before the daemon.
  setsid dockerd >"$DOCKERD_LOG" 2>&1 &
  DOCKERD=$!
  for ((tries = 0; tries < 240; tries++)); do
    ! has_docker || return 0
    kill -0 "$DOCKERD" 2>/dev/null || break
    sleep 0.25
  done
  say "dockerd did not start within a minute; the end of its log:"
  tail -n 15 "$DOCKERD_LOG" >&2
  stop_docker
  return 1
}

# Stops the daemon started by start_docker, if any, and removes the containers left by tests.
stop_docker() {
  local tries left
  [ -n "${DOCKERD:-}" ] || return 0
  left=$(timeout 20 docker ps -aq --filter label=org.testcontainers=true 2>/dev/null) || left=
  # shellcheck disable=SC2086
  [ -z "$left" ] || timeout 60 docker rm -f $left >/dev/null 2>&1 || true
  kill "$DOCKERD" 2>/dev/null || true
  for ((tries = 0; tries < 120; tries++)); do
    kill -0 "$DOCKERD" 2>/dev/null || break
    sleep 0.25
  done
  kill -KILL "$DOCKERD" 2>/dev/null || true
  wait "$DOCKERD" 2>/dev/null || true
  rm -f "$DOCKERD_LOG"
  DOCKERD=
}

# Builds image $1 from the Debian packages $3 (comma-separated) of the release $2 and their
# dependencies, unless its label shows that it was built from the same packages this week. $4... are
# Dockerfile instructions. The packages are unpacked but not configured, in a tenth of the time.
debian_image() {
  local name=$1 release=$2 packages=$3 label=dev.quire.made-of made_of instruction changes=()
  local unfinished=${name%:*}:unfinished
  shift 3
  made_of="$release/$packages/$*/$(date +%G-%V)"
  made_of=$(printf '%s' "$made_of" | cksum | tr ' ' -)
  if [ "$(docker image inspect -f "{{index .Config.Labels \"$label\"}}" "$name" 2>/dev/null)" != "$made_of" ]; then
    say "building $name from Debian packages ..."
    for instruction; do
      changes+=(-c "$instruction")
    done
    mmdebstrap -q --variant=extract --include="base-files,bash,$packages" "$release" - |
      docker import -c "LABEL $label=$made_of" -c 'ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin' \
        ${changes[@]+"${changes[@]}"} - "$unfinished" >/dev/null || return 1
    # Tagged last: if mmdebstrap fails, the image is incomplete and must not be used.
    docker tag "$unfinished" "$name" && docker rmi "$unfinished" >/dev/null
  fi
}

# Builds the base images of the proxy's image: quire-debian-jdk and quire-debian-base.
debian_bases() {
  debian_image quire-debian-jdk trixie openjdk-21-jdk-headless \
    "ENV JAVA_HOME=/usr/lib/jvm/java-21-openjdk-$(dpkg --print-architecture)" &&
    debian_image quire-debian-base trixie libstdc++6,zlib1g
}

# Builds image $1 with the arguments $2... of docker build; shows its output only if it fails.
build_image() {
  local tag=$1 log
  shift
  log=$(mktemp)
  if ! docker build -t "$tag" "$@" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

# Builds image $1, which runs the program $2 of the Debian package of that name, a Redis or Valkey
# server, as the public images of these do.
store_image() {
  debian_image "$1" trixie "$2" 'EXPOSE 6379' \
    "CMD [\"$2\", \"--bind\", \"0.0.0.0\", \"--protected-mode\", \"no\"]"
}
