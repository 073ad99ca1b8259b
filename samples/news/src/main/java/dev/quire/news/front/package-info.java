/**
 * The front of the paper: home page, sections, the frame of every page, and the list of all URLs.
 * Leaves the count to {@code election} and single articles to {@code article}.
 */
@NullMarked
package dev.quire.news.front;

import org.jspecify.annotations.NullMarked;
