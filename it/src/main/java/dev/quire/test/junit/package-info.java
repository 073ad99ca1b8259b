/**
 * Tests of a site's pages with JUnit Jupiter, 5.14 or 6: who opens the site, hands it to tests,
 * empties it between them, and what a failing test shows. Leaves to others: what is asked and
 * asserted; where a Spring test has its site from.
 */
@NullMarked
package dev.quire.test.junit;

import org.jspecify.annotations.NullMarked;
