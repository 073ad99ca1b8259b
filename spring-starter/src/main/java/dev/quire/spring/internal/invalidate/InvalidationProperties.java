package dev.quire.spring.internal.invalidate;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How invalidations are sent to surrogates.
 *
 * @param async whether responses are sent without waiting for the surrogates; the next request may
 *     then arrive before the invalidation
 * @param maxWait longest time a response waits for the first delivery attempt to each surrogate
 * @param queue maximum invalidations queued for one surrogate; further ones are dropped with a
 *     warning
 * @param retryAfter pause before a failed delivery is retried; doubles each time, up to five
 *     seconds
 * @param giveUpAfter time after which an undelivered invalidation is dropped with a warning
 * @param repeatAfter time after which each invalidation is sent a second time, for databases with
 *     lagging replicas; never if absent
 * @param drain longest time that shutdown waits for queued invalidations
 * @param groups whether responses to unsafe methods also list the invalidated tags in
 *     Cache-Group-Invalidation
 * @param sites base URLs of the application as clients see them, for URLs that begin with a slash;
 *     by default that of the current request
 * @param ack how far an invalidation must have come in a fleet of Quire surrogates before it counts
 *     as done: this node, the log of the fleet, or all its live nodes; by default as the surrogate
 *     is configured. For {@code fleet}, {@code max-wait} should be longer than the surrogate's
 *     {@code fleet.ack-timeout}
 */
@ConfigurationProperties("quire.invalidation")
public record InvalidationProperties(
        @DefaultValue("false") boolean async,
        @DefaultValue("500ms") Duration maxWait,
        @DefaultValue("1000") int queue,
        @DefaultValue("100ms") Duration retryAfter,
        @DefaultValue("1m") Duration giveUpAfter,
        @Nullable Duration repeatAfter,
        @DefaultValue("2s") Duration drain,
        @DefaultValue("true") boolean groups,
        @DefaultValue List<URI> sites,
        @Nullable Ack ack) {

    /** How far an invalidation must have come in a fleet of surrogates. */
    public enum Ack {
        LOCAL,
        LOG,
        FLEET
    }

    public InvalidationProperties {
        atLeast("max-wait", maxWait, Duration.ZERO);
        atLeast("retry-after", retryAfter, Duration.ofMillis(1));
        atLeast("give-up-after", giveUpAfter, Duration.ZERO);
        atLeast("drain", drain, Duration.ZERO);
        if (repeatAfter != null) {
            atLeast("repeat-after", repeatAfter, Duration.ofMillis(1));
        }
        if (queue < 1) {
            throw new IllegalArgumentException(
                    "quire.invalidation.queue: %d is out of range (expected 1 or more)"
                            .formatted(queue));
        }
        sites = List.copyOf(sites);
        for (var site : sites) {
            if (!InvalidationKeys.isAbsolute(site)
                    || site.getRawQuery() != null
                    || !(site.getRawPath().isEmpty() || site.getRawPath().equals("/"))) {
                throw new IllegalArgumentException(
                        "quire.invalidation.sites: '%s' is not a scheme with a host (expected for example https://news.example)"
                                .formatted(site));
            }
        }
    }

    private static void atLeast(String key, Duration value, Duration least) {
        if (value.compareTo(least) < 0) {
            throw new IllegalArgumentException(
                    "quire.invalidation.%s: %s is out of range (expected %s or more)"
                            .formatted(key, value, least));
        }
    }
}
