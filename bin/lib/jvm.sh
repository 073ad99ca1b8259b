# Sourced by bin/quire and, in the proxy's image, by docker/quire: the options of the proxy's JVM,
# explained in docs/operating.md. Requires only bash.

# Prints the feature version of the Java in folder $1, read from its file "release"; running the JVM
# would take half as long as starting the proxy.
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

# Sets JVM_OPTIONS to the options that Netty needs on Java $1 for its native code and fast direct
# memory.
jvm_options() {
  JVM_OPTIONS=(--enable-native-access=ALL-UNNAMED --add-opens=java.base/java.nio=ALL-UNNAMED
    -Dio.netty.tryReflectionSetAccessible=true)
  if [ "$1" -ge 24 ]; then
    JVM_OPTIONS+=(--sun-misc-unsafe-memory-access=allow)
  fi
}

# Adds to JVM_OPTIONS the options of Java $1 on which object layout, and so a class archive,
# depends.
layout_options() {
  [ "$1" -lt 25 ] || JVM_OPTIONS+=(-XX:+UseCompactObjectHeaders)
  # JVM messages go to stderr, because stdout has only the "ready" line. A class archive that does
  # not match an option is ignored without a message.
  JVM_OPTIONS+=(-Xlog:disable '-Xlog:all=warning,cds*=off:stderr')
}

# Adds to JVM_OPTIONS the memory limits, the end of a process whose heap is full, and the collector;
# QUIRE_JVM_OPTIONS override them.
memory_options() {
  local option collector=-XX:+UseParallelGC sizes=(-Xms64m -Xmn48m) direct=
  # Limits, not sizes: cache.memory determines the memory used. Direct memory may be as large as the
  # heap, unless the user has set a small heap.
  JVM_OPTIONS+=(-XX:MaxRAMPercentage=70)
  # An event loop that has run out of heap is dead, and its connections with it. The JVM would print
  # its last message to stdout.
  JVM_OPTIONS+=(-XX:+ExitOnOutOfMemoryError -XX:+DisplayVMOutputToStderr)
  for option in ${QUIRE_JVM_OPTIONS:-}; do
    case "$option" in
      -XX:+Use*GC) collector= sizes=() ;; # A JVM with two of them does not start.
      -Xmx*) sizes=() direct=-XX:MaxDirectMemorySize=1g ;;
      -Xm[ns]*) sizes=() ;;
    esac
  done
  # The objects of a request are garbage after its response, so a small young generation suffices.
  JVM_OPTIONS+=($collector ${sizes[@]+"${sizes[@]}"} $direct)
}
