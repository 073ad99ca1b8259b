/**
 * The common parts of all stores that several proxies share: connections, keys, seals, the circuit
 * breaker, the present fault, counts and limits.
 */
@NullMarked
package dev.quire.proxy.store;

import org.jspecify.annotations.NullMarked;
