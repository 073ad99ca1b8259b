/**
 * Runs several proxies with one store, disturbs them, and checks what they serve after purges; also
 * measures what a purge costs. Leaves to others: one proxy alone, and comparisons with other
 * servers.
 */
@NullMarked
package dev.quire.bench.fleet;

import org.jspecify.annotations.NullMarked;
