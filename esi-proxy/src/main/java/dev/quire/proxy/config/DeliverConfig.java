package dev.quire.proxy.config;

import java.time.Duration;

/**
 * How pages leave.
 *
 * @param firstFlush how long text in front of the first missing fragment waits for it; zero: not
 */
public record DeliverConfig(Duration firstFlush) {

    static final DeliverConfig DEFAULTS = new DeliverConfig(Duration.ofMillis(20));
}
