/**
 * What is kept, and who waits for it: stored responses, their variants, coalesced fetches, purges.
 * Leaves to others: the network, and what a client is sent.
 */
@NullMarked
package dev.quire.proxy.cache;

import org.jspecify.annotations.NullMarked;
