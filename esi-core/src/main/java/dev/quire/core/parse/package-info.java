/**
 * The ESI parser: bytes in any chunking become nodes with positions, and diagnostics for what is
 * malformed (ESI 1.0; a page never fails because of its markup). Leaves to others: the values of
 * expressions, and fetching.
 */
@NullMarked
package dev.quire.core.parse;

import org.jspecify.annotations.NullMarked;
