# Sourced by the scripts in bin: the project's root folder, and a JDK that can build and run it.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PROXY_JAR=$ROOT/esi-proxy/target/quire-proxy.jar
NEEDED_JDK=21
. "$ROOT/bin/lib/jvm.sh"

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$(basename "$0"): $*"
  exit 2
}

# Prints the path of the first installed program of $@, also from the folders of system programs,
# which PATH may lack.
program() {
  local name
  for name; do
    ! PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin command -v "$name" || return 0
  done
  return 1
}

# Whether the program $1 is a node that finds express and ws, also in Debian's packages, where a
# node of another source does not look.
has_express() {
  NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH} "$1" -e 'require("express"); require("ws")' 2>/dev/null
}

# Prints the feature version of the JDK in folder $1, or nothing if it is not a JDK.
jdk_version() {
  local version
  [ -x "$1/bin/javac" ] || return 0
  version=$(java_version "$1")
  [ -z "$version" ] || { echo "$version" && return; }
  "$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p'
}

# Sets JAVA_HOME: the caller's value, else the JDK on PATH, else the newest in the usual folders.
find_jdk() {
  local candidate version best= best_version=0
  ! use_jdk "${JAVA_HOME:-}" || return 0
  ! use_jdk "$(java_home_on_path)" || return 0
  for candidate in /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* "${HOME:-}"/.sdkman/candidates/java/* \
    "${HOME:-}"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    version=$(jdk_version "$candidate")
    if [ -n "$version" ] && [ "$version" -ge "$NEEDED_JDK" ] && [ "$version" -gt "$best_version" ]; then
      best=$candidate best_version=$version
    fi
  done
  [ -n "$best" ] || die "no JDK $NEEDED_JDK or later found (looked at JAVA_HOME, PATH and the usual folders):
  install one, for example Debian's openjdk-21-jdk or Eclipse Temurin 21, or set JAVA_HOME to it"
  export JAVA_HOME=$best
}

# Sets JAVA_HOME to folder $1 if it is a JDK of the required version; fails if not.
use_jdk() {
  local version
  version=$(jdk_version "${1:-/dev/null}")
  [ -n "$version" ] && [ "$version" -ge "$NEEDED_JDK" ] && export JAVA_HOME=$1
}

java_home_on_path() {
  local javac
  javac=$(command -v javac) || return 0
  dirname "$(dirname "$(readlink -f "$javac")")"
}

require_maven() {
  command -v mvn >/dev/null || die "Maven is not installed (expected mvn 3.8 or later on PATH)"
}

# Runs Maven on that JDK in the project's root, without colours and without the JDK's warnings about
# Maven's own libraries. Stops Maven when the calling script is stopped.
maven() {
  local options=${MAVEN_OPTS:-} running status=0
  if [ "$(jdk_version "$JAVA_HOME")" -ge 24 ]; then
    options="--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow $options"
  fi
  (cd "$ROOT" && export MAVEN_OPTS=$options && exec mvn -B -ntp -Dstyle.color=never "$@") &
  running=$!
  trap 'kill "$running" 2>/dev/null || true; exit 143' INT TERM
  wait "$running" || status=$?
  trap - INT TERM
  return "$status"
}

# Whether a file in one of the folders $2... is newer than file $1, or $1 is absent.
is_outdated() {
  local built=$1
  shift
  [ ! -e "$built" ] || [ -n "$(find "$@" -type f -newer "$built" -print -quit)" ]
}

# Builds the modules $1 (comma-separated) and their dependencies, quietly and without running tests.
# $2 is the property set for Maven: maven.test.skip (default) omits tests, skipTests compiles them.
build() {
  local revision
  require_maven
  say "building $1 ..."
  revision=$(git -C "$ROOT" rev-parse --short=12 HEAD 2>/dev/null) || revision=unknown
  maven -q -pl "$1" -am -T1C "-D${2:-maven.test.skip}=true" -Dspotless.check.skip=true \
    "-Dquire.revision=$revision" package >&2 || die "the build failed"
}

# Whether the proxy is not built, or sources are newer; an installation may have no sources.
is_proxy_outdated() {
  is_outdated "$PROXY_JAR" "$ROOT/pom.xml" "$ROOT"/esi-{core,proxy}/pom.xml \
    "$ROOT"/esi-{core,proxy}/src/main 2>/dev/null
}

build_proxy_if_needed() {
  if is_proxy_outdated; then
    build esi-proxy
    touch "$PROXY_JAR"
  fi
}

# Adds to JVM_OPTIONS the archive of the proxy's loaded and linked classes, which halves the start
# time. The archive is stored next to the jar and is valid for that jar and this JDK. If absent, it
# is created here in a few seconds from a rehearsal. If that fails, starts are slower; nothing else
# changes.
class_archive() {
  local jar=$PROXY_JAR archive use make made_for is_for= work
  archive=${jar%.jar}.jsa use=-XX:SharedArchiveFile make=-XX:ArchiveClassesAtExit
  made_for="${JVM_OPTIONS[*]} $JAVA_HOME"
  [ ! -r "$JAVA_HOME/release" ] || made_for+=" $(<"$JAVA_HOME/release")"
  [ ! -r "$archive.for" ] || is_for=$(<"$archive.for")

  if [ "$is_for" != "$made_for" ] || [ "$jar" -nt "$archive.for" ]; then
    work=$(mktemp -d "$archive.XXXXXX" 2>/dev/null) || return 0
    say "creating a class archive for faster starts ..."
    if "$JAVA_HOME/bin/java" "${JVM_OPTIONS[@]}" "$make=$work/archive" -jar "$jar" rehearse \
      >"$work/log" 2>&1 && [ -s "$work/archive" ]; then
      mv -f "$work/archive" "$archive" && printf '%s\n' "$made_for" >"$archive.for" || true
    else
      say "the class archive could not be created, starts stay slower: $(tail -n 1 "$work/log")"
    fi
    rm -rf "$work" || true
  fi
  [ ! -e "$archive" ] || JVM_OPTIONS+=("$use=$archive")
}
