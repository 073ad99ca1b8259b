/**
 * The cost of one request in the proxy: bytes allocated, write system calls, and CPU time relative
 * to a server that only writes prebuilt bytes. Everything runs in one JVM over the loopback. Leaves
 * to others: throughput, and the speed of other proxies.
 */
@NullMarked
package dev.quire.bench.cost;

import org.jspecify.annotations.NullMarked;
