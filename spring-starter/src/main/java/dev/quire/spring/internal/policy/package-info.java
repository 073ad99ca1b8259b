/**
 * How the fragments of an application are declared: annotations, rules by path and code, resolved
 * to one policy for each handler.
 */
@NullMarked
package dev.quire.spring.internal.policy;

import org.jspecify.annotations.NullMarked;
