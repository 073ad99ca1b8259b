/**
 * Kills processes that keep a cache on disk, and checks what the next process serves: times and hit
 * rates after a restart, and that nothing wrong or purged comes back. Leaves to others: what a
 * process that is not killed serves.
 */
@NullMarked
package dev.quire.bench.kill;

import org.jspecify.annotations.NullMarked;
