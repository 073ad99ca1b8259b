/**
 * A simple model of a shared cache (RFC 9111, RFC 5861), to be read with the rules it implements:
 * no threads, no memory limit, not optimised. Shares no code with the product, so that an error in
 * one of them is detected.
 */
@NullMarked
package dev.quire.proxy.reference;

import org.jspecify.annotations.NullMarked;
