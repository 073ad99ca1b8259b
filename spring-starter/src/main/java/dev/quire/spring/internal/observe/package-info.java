/** Observations of fragments with Micrometer. */
@NullMarked
package dev.quire.spring.internal.observe;

import org.jspecify.annotations.NullMarked;
