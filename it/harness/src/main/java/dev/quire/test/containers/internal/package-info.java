/** Lets containers reach servers on this machine. */
@NullMarked
package dev.quire.test.containers.internal;

import org.jspecify.annotations.NullMarked;
