/**
 * The log of invalidations that several proxies share: their order in it, its epochs, its nodes and
 * their acknowledgements. Has no sockets: a {@link dev.quire.proxy.fleet.LogServer} is given.
 */
@NullMarked
package dev.quire.proxy.fleet;

import org.jspecify.annotations.NullMarked;
