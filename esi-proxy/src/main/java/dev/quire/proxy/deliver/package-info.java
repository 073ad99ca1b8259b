/**
 * What a client is sent: heads, framing, assembled pages, error pages, and how fast it takes them.
 * Leaves to others: where the bytes came from, and which fields a response has (the core).
 */
@NullMarked
package dev.quire.proxy.deliver;

import org.jspecify.annotations.NullMarked;
