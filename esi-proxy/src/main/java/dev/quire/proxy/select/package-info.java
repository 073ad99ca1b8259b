/**
 * Parts of HTML documents, chosen by CSS selectors: the only place that knows jsoup. Leaves to
 * others: where documents come from, and keeping what was selected.
 */
@NullMarked
package dev.quire.proxy.select;

import org.jspecify.annotations.NullMarked;
