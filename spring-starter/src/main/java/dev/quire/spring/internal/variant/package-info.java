/** Variants of fragments, and the signed cookie that names the variant of a reader. */
@NullMarked
package dev.quire.spring.internal.variant;

import org.jspecify.annotations.NullMarked;
