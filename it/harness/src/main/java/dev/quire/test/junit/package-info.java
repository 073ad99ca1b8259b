/**
 * Tests of a site's pages with JUnit Jupiter, 5.14 or 6: opens the site, passes it to tests, resets
 * it between them, and reports a failing test. Not responsible for: requests and assertions; the
 * site of a Spring test.
 */
@NullMarked
package dev.quire.test.junit;

import org.jspecify.annotations.NullMarked;
