/**
 * The front of the paper: home page, sections, what stands on every page and the list of all
 * addresses. Leaves the count to {@code election} and single articles to {@code article}.
 */
@NullMarked
package dev.quire.news.front;

import org.jspecify.annotations.NullMarked;
