/** The precedence of policies, and the templates of cache tags. */
@NullMarked
package dev.quire.spring.internal.policy;

import org.jspecify.annotations.NullMarked;
