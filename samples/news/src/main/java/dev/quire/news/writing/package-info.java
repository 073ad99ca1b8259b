/**
 * Writes the paper's archive: {@code stories/*.txt} say what happened and how it is told. The same
 * articles come out on every start. Leaves storing them to {@code article}.
 */
@NullMarked
package dev.quire.news.writing;

import org.jspecify.annotations.NullMarked;
