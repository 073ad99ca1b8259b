/**
 * Checks of rules before they admit a request: rate limits and passwords. Knows no sockets; the
 * {@code path} package asks and answers the client.
 */
@NullMarked
package dev.quire.proxy.access;

import org.jspecify.annotations.NullMarked;
