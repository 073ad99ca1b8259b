/**
 * Extraction of parts of HTML documents by CSS selectors; the only package that uses jsoup. Other
 * packages supply the documents and store the results.
 */
@NullMarked
package dev.quire.proxy.select;

import org.jspecify.annotations.NullMarked;
