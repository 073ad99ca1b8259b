/**
 * The rules of a shared cache (RFC 9111 and its relatives): what may be stored, for how long, and
 * what a stored response may answer; and which fields of a message are forwarded, or changed by a
 * page. Pure: the time is a parameter. Leaves to others: keeping, fetching and waiting.
 */
@NullMarked
package dev.quire.core.policy;

import org.jspecify.annotations.NullMarked;
