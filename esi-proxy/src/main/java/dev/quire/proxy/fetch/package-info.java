/**
 * Talking to origins: connections kept on the loop that uses them, one request at a time on each,
 * deadlines, one more try where that is safe, and a strict reading of what comes back. Leaves to
 * others: which request to send, what the response means, and what stands in for a failure.
 */
@NullMarked
package dev.quire.proxy.fetch;

import org.jspecify.annotations.NullMarked;
