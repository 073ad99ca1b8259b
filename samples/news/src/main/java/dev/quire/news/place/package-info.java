/**
 * Where things happen: regions and districts of Korea with their electorates. Knows nothing of
 * votes or articles.
 */
@NullMarked
package dev.quire.news.place;

import org.jspecify.annotations.NullMarked;
