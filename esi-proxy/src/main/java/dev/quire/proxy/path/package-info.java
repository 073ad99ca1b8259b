/**
 * The life of one request: {@link dev.quire.proxy.path.RequestPath} holds the order of its steps,
 * the classes around it the steps that need more than one package. Leaves sockets to {@code listen}
 * and {@code fetch}, storing to {@code cache}, writing to {@code deliver}. {@link
 * dev.quire.proxy.path.ProxyParts} makes them of one configuration.
 */
@NullMarked
package dev.quire.proxy.path;

import org.jspecify.annotations.NullMarked;
