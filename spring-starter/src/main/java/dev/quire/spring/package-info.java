/**
 * What a Spring application needs to emit fragments and pages for a surrogate: caching policies on
 * handlers, a guard that only ever makes a response more private, markup for includes, and assembly
 * inside the application when no surrogate stands in front of it. Leaves to others: caching itself,
 * and the language, which the core knows.
 */
@NullMarked
package dev.quire.spring;

import org.jspecify.annotations.NullMarked;
