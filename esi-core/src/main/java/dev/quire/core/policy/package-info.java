/**
 * The rules of a shared cache (RFC 9111 and related RFCs): which responses may be stored, for how
 * long, and which requests they may answer; and which fields of a message are forwarded, or changed
 * by a page. Pure functions: the time is a parameter. Storage and fetching are done elsewhere.
 */
@NullMarked
package dev.quire.core.policy;

import org.jspecify.annotations.NullMarked;
