/**
 * The harness in which a site's pages and fragments are tested: an origin that does what a test
 * tells it, a clock that moves by hand, a client that sees every byte. Needs neither a test
 * framework nor an application framework; what fails throws {@link java.lang.AssertionError}.
 * Leaves to others: caching and assembling, which are the real ones.
 */
@NullMarked
package dev.quire.test;

import org.jspecify.annotations.NullMarked;
