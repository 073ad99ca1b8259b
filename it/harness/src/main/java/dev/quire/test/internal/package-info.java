/**
 * The assemblers of a site's pages and the parts they report. Not responsible for: the application,
 * and assertions.
 */
@NullMarked
package dev.quire.test.internal;

import org.jspecify.annotations.NullMarked;
