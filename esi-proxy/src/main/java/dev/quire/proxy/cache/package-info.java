/**
 * The cache: stored responses, their variants, coalesced fetches, purges and bans. Other packages
 * handle the network and the responses to clients.
 */
@NullMarked
package dev.quire.proxy.cache;

import org.jspecify.annotations.NullMarked;
