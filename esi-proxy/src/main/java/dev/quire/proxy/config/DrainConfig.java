package dev.quire.proxy.config;

import java.time.Duration;

/**
 * The {@code drain} section.
 *
 * @param grace how long connections are still accepted after readiness is withdrawn
 * @param timeout how long in-flight requests may then take
 */
public record DrainConfig(Duration grace, Duration timeout) {

    static final DrainConfig DEFAULTS = new DrainConfig(Duration.ZERO, Duration.ofSeconds(30));
}
