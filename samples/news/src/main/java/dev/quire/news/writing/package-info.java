/**
 * Generates the paper's archive from {@code stories/*.txt}, the same articles on every start.
 * Leaves storing them to {@code article}.
 */
@NullMarked
package dev.quire.news.writing;

import org.jspecify.annotations.NullMarked;
