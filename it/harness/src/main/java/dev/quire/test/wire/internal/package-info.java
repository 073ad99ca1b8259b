/**
 * Waiting with a limit, excerpts and the line of a test, for messages of the whole harness; a
 * client of HTTP/2, valid or hostile, and the choice to run tests over HTTP/2.
 */
@NullMarked
package dev.quire.test.wire.internal;

import org.jspecify.annotations.NullMarked;
