/**
 * A long history of requests replayed against the store alone: how often it has the answer, and
 * what memory that takes. The responses are taken in as the proxy takes them in; there is no
 * network.
 */
@NullMarked
package dev.quire.bench.replay;

import org.jspecify.annotations.NullMarked;
