/**
 * The operators' port: health, metrics, purges and a look into the cache over HTTP/1.1. Leaves to
 * others: doing any of it; it names purges and bans as the cache does, and asks one {@link
 * dev.quire.proxy.admin.AdminActions}.
 */
@NullMarked
package dev.quire.proxy.admin;

import org.jspecify.annotations.NullMarked;
