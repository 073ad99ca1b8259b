/**
 * The surrogate. {@code RequestPath} handles one request from start to end, {@code Proxy} starts
 * and stops the parts, {@code Main} is the entry point of the command line.
 */
@NullMarked
package dev.quire.proxy;

import org.jspecify.annotations.NullMarked;
