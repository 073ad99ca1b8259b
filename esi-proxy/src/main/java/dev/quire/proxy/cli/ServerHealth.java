package dev.quire.proxy.cli;

import java.util.concurrent.CompletableFuture;

/**
 * A server of an origin, for the report of the start.
 *
 * @param first the result of its first health check: {@code up}, {@code unchecked} or the fault
 */
public record ServerHealth(String origin, String url, CompletableFuture<String> first) {}
