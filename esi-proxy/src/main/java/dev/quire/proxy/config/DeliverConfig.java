package dev.quire.proxy.config;

import java.time.Duration;

/**
 * The {@code deliver} section.
 *
 * @param firstFlush how long the text before the first missing fragment waits; zero to send it at
 *     once
 */
public record DeliverConfig(Duration firstFlush) {

    static final DeliverConfig DEFAULTS = new DeliverConfig(Duration.ofMillis(20));
}
