/**
 * The proxy as a whole: its command line, and the order in which a request passes through the other
 * packages. Leaves to others: each of the steps.
 */
@NullMarked
package dev.quire.proxy;

import org.jspecify.annotations.NullMarked;
