package dev.quire.proxy.config;

import java.time.Duration;

/**
 * How the proxy stops.
 *
 * @param grace how long it goes on accepting after it has said that it is not ready
 * @param timeout how long requests then have to end
 */
public record DrainConfig(Duration grace, Duration timeout) {

    static final DrainConfig DEFAULTS = new DrainConfig(Duration.ZERO, Duration.ofSeconds(30));
}
