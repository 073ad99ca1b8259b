/**
 * Message heads as small values: what a request or a response says before its body (RFC 9110).
 * Leaves to others: where the bytes come from, and what a field means for caching.
 */
@NullMarked
package dev.quire.core.http;

import org.jspecify.annotations.NullMarked;
