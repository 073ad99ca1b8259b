/**
 * The newsroom: the pages on which editors write and change articles. Leaves to others: storing
 * articles and invalidating pages.
 */
@NullMarked
package dev.quire.news.editor;

import org.jspecify.annotations.NullMarked;
