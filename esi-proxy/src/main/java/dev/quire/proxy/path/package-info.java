/**
 * The life of one request: {@link dev.quire.proxy.path.RequestPath} defines the order of the steps,
 * and the classes around it implement those that need several packages. Sockets are in {@code
 * listen} and {@code fetch}, storing in {@code cache}, writing in {@code deliver}. {@link
 * dev.quire.proxy.path.ProxyParts} builds the steps from a configuration.
 */
@NullMarked
package dev.quire.proxy.path;

import org.jspecify.annotations.NullMarked;
