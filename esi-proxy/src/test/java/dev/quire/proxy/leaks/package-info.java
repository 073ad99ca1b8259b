/** Fails the build for every buffer that a test does not release. */
@NullMarked
package dev.quire.proxy.leaks;

import org.jspecify.annotations.NullMarked;
