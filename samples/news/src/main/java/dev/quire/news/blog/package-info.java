/**
 * The blog of the paper's printers: pages of 41 statements, without fragments, cached for a minute.
 */
@NullMarked
package dev.quire.news.blog;

import org.jspecify.annotations.NullMarked;
