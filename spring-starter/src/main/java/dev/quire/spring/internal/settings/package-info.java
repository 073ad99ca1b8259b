/** The settings below {@code quire}, except those of invalidations. */
@NullMarked
package dev.quire.spring.internal.settings;

import org.jspecify.annotations.NullMarked;
