/**
 * Expressions of the extended ESI language: grammar, values, variables and functions. Parsed once
 * into trees; evaluation changes only the {@link dev.quire.core.expression.Scope} it is given. The
 * places of expressions in a page, and fetching, are handled elsewhere.
 */
@NullMarked
package dev.quire.core.expression;

import org.jspecify.annotations.NullMarked;
