/**
 * Lints a page before it is served: parser findings about ESI tags, and tags at unsafe places in
 * HTML. Apart from {@code select}, the only package that uses jsoup.
 */
@NullMarked
package dev.quire.proxy.lint;

import org.jspecify.annotations.NullMarked;
