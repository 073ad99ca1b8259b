/**
 * The client's side of the wire: bytes become requests that are safe to act on, or refusals. Leaves
 * to others: what is answered (routes, the cache, the origin) and in what words.
 */
@NullMarked
package dev.quire.proxy.listen;

import org.jspecify.annotations.NullMarked;
