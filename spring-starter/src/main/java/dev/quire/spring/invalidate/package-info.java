/**
 * Invalidation at surrogates: collects invalidations while a transaction is open and sends them
 * after the commit, with retries, on separate threads. Not here: which responses have which tags,
 * which handlers declare.
 */
@NullMarked
package dev.quire.spring.invalidate;

import org.jspecify.annotations.NullMarked;
