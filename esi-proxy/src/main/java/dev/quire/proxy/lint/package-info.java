/**
 * Looks at a page before it is served: what the parser has to say of its ESI tags, and where they
 * stand in ways that HTML will not forgive. The only package that reads HTML with jsoup for that.
 * Leaves to others: the language itself (the core's parser), and serving pages.
 */
@NullMarked
package dev.quire.proxy.lint;

import org.jspecify.annotations.NullMarked;
