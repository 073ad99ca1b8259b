/**
 * {@code bin/bench studies}: published cases of caches, replayed with Quire and the servers of the
 * case side by side.
 */
@NullMarked
package dev.quire.bench.studies;

import org.jspecify.annotations.NullMarked;
