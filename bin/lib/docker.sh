# Sourced by bin/image and bin/test, behind common.sh: Docker, a daemon of one's own where none
# answers, and images that are made of Debian packages, for which no registry is asked.

has_docker() {
  command -v docker >/dev/null && timeout 20 docker version >/dev/null 2>&1
}

# Starts a daemon that runs as long as this script does, where that is allowed; fails where not. It
# takes no options: what it chooses itself (overlay2, a bridge, iptables) is what works in a virtual
# machine, and its images are found again by the next.
start_docker() {
  local tries
  [ "$(id -u)" = 0 ] && command -v dockerd >/dev/null || return 1
  say "starting dockerd ..."
  DOCKERD_LOG=$(mktemp)
  # Away from this terminal's signals: containers are to be ended before it is.
  setsid dockerd >"$DOCKERD_LOG" 2>&1 &
  DOCKERD=$!
  for ((tries = 0; tries < 240; tries++)); do
    ! has_docker || return 0
    kill -0 "$DOCKERD" 2>/dev/null || break
    sleep 0.25
  done
  say "dockerd did not start within a minute; the last it said:"
  tail -n 15 "$DOCKERD_LOG" >&2
  stop_docker
  return 1
}

# Stops the daemon that start_docker has started, if it has, and the containers that tests have left.
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

# Makes image $1 of the Debian packages $3 (comma separated) and what they need, of the release $2,
# unless there is one that was made of the same in this week: its label says so. $4... are instructions
# of a Dockerfile. The packages are unpacked and not set up, which takes a tenth of the time.
debian_image() {
  local name=$1 release=$2 packages=$3 label=dev.quire.made-of made_of instruction changes=()
  shift 3
  made_of="$release/$packages/$*/$(date +%G-%V)"
  made_of=$(printf '%s' "$made_of" | cksum | tr ' ' -)
  if [ "$(docker image inspect -f "{{index .Config.Labels \"$label\"}}" "$name" 2>/dev/null)" != "$made_of" ]; then
    say "making $name of Debian packages ..."
    for instruction; do
      changes+=(-c "$instruction")
    done
    mmdebstrap -q --variant=extract --include="base-files,bash,$packages" "$release" - |
      docker import -c "LABEL $label=$made_of" -c 'ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin' \
        ${changes[@]+"${changes[@]}"} - "$name:unfinished" >/dev/null || return 1
    # Only now: what mmdebstrap has left behind when it fails is no image to keep.
    docker tag "$name:unfinished" "$name" && docker rmi "$name:unfinished" >/dev/null
  fi
}

# Makes what the proxy's image is made of where nothing is pulled: quire-debian-jdk and -base.
debian_bases() {
  debian_image quire-debian-jdk trixie openjdk-21-jdk-headless \
    "ENV JAVA_HOME=/usr/lib/jvm/java-21-openjdk-$(dpkg --print-architecture)" &&
    debian_image quire-debian-base trixie libstdc++6,zlib1g
}

# Builds image $1 as the arguments of docker build, $2..., say; shows what that says only if it fails.
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
