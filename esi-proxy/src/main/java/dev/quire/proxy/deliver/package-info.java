/**
 * Responses to clients: heads, framing, assembled pages, error pages, and back-pressure. Other
 * packages supply the bytes; the core decides which fields a response has.
 */
@NullMarked
package dev.quire.proxy.deliver;

import org.jspecify.annotations.NullMarked;
