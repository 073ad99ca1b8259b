/**
 * The state of one request, and the interfaces through which the other packages of the proxy
 * exchange requests, responses and streamed bodies. Depends on none of them.
 */
@NullMarked
package dev.quire.proxy.exchange;

import org.jspecify.annotations.NullMarked;
