/**
 * The surrogate: {@code RequestPath} is the life of one request from top to bottom, {@code Proxy}
 * starts and stops the parts, {@code Main} is the command line.
 */
@NullMarked
package dev.quire.proxy;

import org.jspecify.annotations.NullMarked;
