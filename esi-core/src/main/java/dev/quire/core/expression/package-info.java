/**
 * Expressions of the extended ESI language: their grammar, their values, the variables and
 * functions they may use. Parsed once into trees; evaluating a tree changes nothing but the {@link
 * dev.quire.core.expression.Scope} it is given. Leaves to others: where expressions stand in a
 * page, and fetching.
 */
@NullMarked
package dev.quire.core.expression;

import org.jspecify.annotations.NullMarked;
