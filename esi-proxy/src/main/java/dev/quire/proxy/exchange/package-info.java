/**
 * One request's state, and the words in which the other packages of the proxy speak of requests,
 * responses and bodies in motion. Knows none of them.
 */
@NullMarked
package dev.quire.proxy.exchange;

import org.jspecify.annotations.NullMarked;
