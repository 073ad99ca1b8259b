/**
 * What one request costs the proxy: bytes allocated, system calls that write, and processor time
 * beside a server that only writes what it has ready. Everything runs in one JVM over the loopback.
 * Leaves to others: how many requests a second that makes, and the speed of other proxies.
 */
@NullMarked
package dev.quire.bench.cost;

import org.jspecify.annotations.NullMarked;
