/**
 * Readers: who is logged in, what they are greeted with and which articles they keep. Everything
 * here is private to one reader; nothing of it is ever stored by a cache.
 */
@NullMarked
package dev.quire.news.reader;

import org.jspecify.annotations.NullMarked;
