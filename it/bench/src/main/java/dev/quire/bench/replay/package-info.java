/**
 * A long history of requests replayed against the store alone: hit rate and memory. Responses are
 * stored through the same code as in the proxy, without a network. A shorter one is replayed over
 * the wire, beside other caches.
 */
@NullMarked
package dev.quire.bench.replay;

import org.jspecify.annotations.NullMarked;
