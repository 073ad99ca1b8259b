/**
 * The operator's rules: conditions on requests and responses, templates, and what a rule changes.
 * Read from the configuration elsewhere; pure functions of a request, a response and the time.
 */
@NullMarked
package dev.quire.core.rule;

import org.jspecify.annotations.NullMarked;
