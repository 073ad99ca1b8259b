/**
 * Articles: their store, their page, and which of them are read most. Leaves writing them to {@code
 * writing} and arranging them on other pages to {@code front} and {@code election}.
 */
@NullMarked
package dev.quire.news.article;

import org.jspecify.annotations.NullMarked;
