/**
 * Collects invalidations while a transaction is open and sends them after the commit, with retries,
 * on separate threads.
 */
@NullMarked
package dev.quire.spring.internal.invalidate;

import org.jspecify.annotations.NullMarked;
