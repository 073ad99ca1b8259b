/**
 * Readers: who is logged in, their greeting and the articles they keep. Everything here is private
 * to one reader and never stored by a cache.
 */
@NullMarked
package dev.quire.news.reader;

import org.jspecify.annotations.NullMarked;
