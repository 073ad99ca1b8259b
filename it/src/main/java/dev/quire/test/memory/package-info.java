/**
 * A surrogate without a socket: it stores what an application answers and makes pages of it, by the
 * core's own parser, rules and assembler, and behaves as the proxy does with its default
 * configuration. For tests, so nothing in it is fast or sparing: bodies lie on the heap, whole, and
 * whoever waits does so on a virtual thread. Leaves to others: where requests come from, and how
 * the application is reached.
 */
@NullMarked
package dev.quire.test.memory;

import org.jspecify.annotations.NullMarked;
