/**
 * The tests that a configuration contains: each request goes through the rules, the router and the
 * decisions of the cache, without sockets and without a store.
 */
@NullMarked
package dev.quire.proxy.check;

import org.jspecify.annotations.NullMarked;
