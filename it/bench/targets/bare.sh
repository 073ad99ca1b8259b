#!/usr/bin/env bash
# title: bare Netty
# dialect: esi
# workloads: object-1k object-100k page page-gzip news close-5k close-100k tls-1k tls-page tls-handshake h2-1k h2-page
# tls: bash
#
# A server that only writes prebuilt bytes: the upper bound for a proxy on Netty. It cannot serve pages
# with private or late fragments.
set -euo pipefail
exec "$JAVA_HOME/bin/java" -XX:+UseParallelGC -Xms256m -Xmx256m -XX:MaxDirectMemorySize=1g \
  -Dio.netty.leakDetection.level=disabled --enable-native-access=ALL-UNNAMED \
  -XX:+IgnoreUnrecognizedVMOptions --sun-misc-unsafe-memory-access=allow \
  -cp "$QUIRE_BENCH_CLASS_PATH" dev.quire.bench.peers.Bare "$2" "$4" \
  "$QUIRE_BENCH_CERTIFICATE" "$QUIRE_BENCH_KEY"
