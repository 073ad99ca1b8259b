/**
 * A store on memcached servers that several proxies share: its protocol, records, and the
 * generation that a purge changes. The meaning of the records is left to {@code cache}.
 */
@NullMarked
package dev.quire.proxy.memcached;

import org.jspecify.annotations.NullMarked;
