/**
 * A store on Redis or Valkey servers that several proxies share: connections, scripts, and its
 * circuit breaker. The meaning of the records is left to {@code cache}.
 */
@NullMarked
package dev.quire.proxy.redis;

import org.jspecify.annotations.NullMarked;
