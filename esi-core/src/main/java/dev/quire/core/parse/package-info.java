/**
 * The ESI parser: turns bytes in any chunking into nodes with positions, and diagnostics for
 * malformed markup (ESI 1.0; markup never makes a page fail). Evaluation of expressions and
 * fetching are done elsewhere.
 */
@NullMarked
package dev.quire.core.parse;

import org.jspecify.annotations.NullMarked;
