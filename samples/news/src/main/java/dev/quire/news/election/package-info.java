/**
 * Election night: candidates, the count by region as it grows, and the pages that show it. Leaves
 * articles to {@code article}.
 */
@NullMarked
package dev.quire.news.election;

import org.jspecify.annotations.NullMarked;
