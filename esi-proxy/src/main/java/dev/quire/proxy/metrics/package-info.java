/**
 * The proxy's counters and timers, rendered as Prometheus text. The only package that uses
 * Micrometer.
 */
@NullMarked
package dev.quire.proxy.metrics;

import org.jspecify.annotations.NullMarked;
