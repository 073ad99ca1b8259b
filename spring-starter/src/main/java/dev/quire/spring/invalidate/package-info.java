/**
 * Invalidation at surrogates, by annotation or by code, and the clients that send it. Not here:
 * which responses have which tags, which handlers declare.
 */
@NullMarked
package dev.quire.spring.invalidate;

import org.jspecify.annotations.NullMarked;
