/**
 * What the product shows on the wire: core and proxy together, seen only through sockets. Leaves to
 * others: the harness's own tests, and all that plain values can show.
 */
@NullMarked
package dev.quire.it;

import org.jspecify.annotations.NullMarked;
