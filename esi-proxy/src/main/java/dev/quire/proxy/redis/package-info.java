/**
 * A store on Redis or Valkey servers that several proxies share: connections, scripts, and whether
 * it works. What the records mean is left to {@code cache}.
 */
@NullMarked
package dev.quire.proxy.redis;

import org.jspecify.annotations.NullMarked;
