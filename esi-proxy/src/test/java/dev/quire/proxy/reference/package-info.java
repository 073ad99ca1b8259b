/**
 * A plain model of a shared cache (RFC 9111, RFC 5861), written to be read beside the rules it
 * states: no threads, no memory of its own, no haste. It shares no line with the product, so that a
 * mistake in one of the two shows.
 */
@NullMarked
package dev.quire.proxy.reference;

import org.jspecify.annotations.NullMarked;
