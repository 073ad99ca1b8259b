/**
 * Writes the paper's archive: what happened is drawn from constants, how it is told stands in
 * {@code stories/*.txt}. The same articles come out on every start. Leaves storing them to {@code
 * article}.
 */
@NullMarked
package dev.quire.news.writing;

import org.jspecify.annotations.NullMarked;
