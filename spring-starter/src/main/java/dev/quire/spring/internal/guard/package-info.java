/**
 * The guard: watches a request and its response for personal data, holds the response until its
 * caching fields are decided, and writes them.
 */
@NullMarked
package dev.quire.spring.internal.guard;

import org.jspecify.annotations.NullMarked;
