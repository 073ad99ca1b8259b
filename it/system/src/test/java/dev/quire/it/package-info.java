/**
 * Tests on the wire: core and proxy together, used only through sockets. Leaves to others: the
 * harness's own tests, and unit tests.
 */
@NullMarked
package dev.quire.it;

import org.jspecify.annotations.NullMarked;
