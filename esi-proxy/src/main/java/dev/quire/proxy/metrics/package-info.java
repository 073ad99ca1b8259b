/**
 * The proxy's counters and timers, scraped as Prometheus text. The only package that knows
 * Micrometer. Leaves to others: when something is counted, and serving the text.
 */
@NullMarked
package dev.quire.proxy.metrics;

import org.jspecify.annotations.NullMarked;
