/**
 * The admin API: health, metrics, purges, bans and cache inspection over HTTP/1.1. It uses the
 * purge and ban types of the cache and delegates all operations to {@link
 * dev.quire.proxy.admin.AdminActions}.
 */
@NullMarked
package dev.quire.proxy.admin;

import org.jspecify.annotations.NullMarked;
