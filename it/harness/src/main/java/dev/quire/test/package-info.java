/**
 * The test harness for a site's pages and fragments: sites, assertions, faults, the leak detector
 * and the fragment contract. Needs neither a test framework nor an application framework; failures
 * are {@link java.lang.AssertionError}s. Not responsible for: caching and assembling, which are the
 * real ones.
 */
@NullMarked
package dev.quire.test;

import org.jspecify.annotations.NullMarked;
