/** Waiting with a limit, excerpts and the line of a test, for messages of the whole harness. */
@NullMarked
package dev.quire.test.wire.internal;

import org.jspecify.annotations.NullMarked;
