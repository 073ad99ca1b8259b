/** The object cache: results of statements, kept for a minute in Redis or Memcached. */
@NullMarked
package dev.quire.news.cache;

import org.jspecify.annotations.NullMarked;
