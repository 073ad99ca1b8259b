# Sourced by bin/quire and, in the proxy's image, by docker/quire: the options of the proxy's JVM, of
# which docs/operating.md says why they are what they are. Needs nothing but bash.

# Prints the feature version of the Java in folder $1, which its file "release" says; asking the JVM
# would take as long as half a start of the proxy.
java_version() {
  local line
  [ -r "$1/release" ] || return 0
  while IFS= read -r line; do
    case "$line" in
      JAVA_VERSION=*)
        line=${line#*\"}
        line=${line%%[!0-9]*}
        [ -z "$line" ] || { echo "$line" && return; }
        ;;
    esac
  done <"$1/release"
}

# Sets JVM_OPTIONS: what Netty needs to reach its native code and direct memory, by the shortest way,
# on Java $1.
jvm_options() {
  JVM_OPTIONS=(--enable-native-access=ALL-UNNAMED --add-opens=java.base/java.nio=ALL-UNNAMED
    -Dio.netty.tryReflectionSetAccessible=true)
  if [ "$1" -ge 24 ]; then
    JVM_OPTIONS+=(--sun-misc-unsafe-memory-access=allow)
  fi
}

# Adds to JVM_OPTIONS what the layout of objects, and so an archive of classes, depends on, on Java $1.
layout_options() {
  [ "$1" -lt 25 ] || JVM_OPTIONS+=(-XX:+UseCompactObjectHeaders)
  # What the JVM has to say goes to stderr, for stdout has one line only; an archive that does not fit
  # some option is not used, and not spoken of.
  JVM_OPTIONS+=(-Xlog:disable '-Xlog:all=warning,cds*=off:stderr')
}

# Adds to JVM_OPTIONS what memory is limited and collected by, beside QUIRE_JVM_OPTIONS, which win.
memory_options() {
  local option collector=-XX:+UseParallelGC sizes=(-Xms64m -Xmn48m)
  # Limits, not sizes: cache.memory says what is used. Direct memory may hold as much as the heap, but
  # for a heap that the user has made small.
  JVM_OPTIONS+=(-XX:MaxRAMPercentage=70)
  for option in ${QUIRE_JVM_OPTIONS:-}; do
    case "$option" in
      -XX:+Use*GC) collector= sizes=() ;; # No JVM starts with two of them.
      -Xmx*) sizes=(-XX:MaxDirectMemorySize=1g) ;;
      -Xm[ns]*) sizes=() ;;
    esac
  done
  # What a request makes is dead when it is answered: what is new needs little room.
  JVM_OPTIONS+=($collector ${sizes[@]+"${sizes[@]}"})
}
