/**
 * The wire toolkit: a scripted origin, a client that controls every byte, the proxy between them,
 * and a clock set by hand. Failures are {@link java.lang.AssertionError}s. Not responsible for:
 * pages and their parts.
 */
@NullMarked
package dev.quire.test.wire;

import org.jspecify.annotations.NullMarked;
