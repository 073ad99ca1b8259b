/**
 * Spring Boot support for emitting fragments and pages to a surrogate: caching policies on
 * handlers, a guard that only makes responses more private, markup for includes, and assembly in
 * the application when no surrogate is in front. Not here: caching itself, and the ESI language,
 * which is in the core.
 */
@NullMarked
package dev.quire.spring;

import org.jspecify.annotations.NullMarked;
