package dev.quire.spring.invalidate;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How surrogates are told what is no longer true.
 *
 * @param async whether a response leaves without waiting for the surrogates, so that the next
 *     request may come before they know
 * @param maxWait longest time that a response waits until each surrogate has been told once
 * @param queue most invalidations that wait for one surrogate; one more is lost, with a warning
 * @param retryAfter pause before a surrogate that failed is told again; it doubles each time, up to
 *     five seconds
 * @param giveUpAfter time after which an invalidation that could not be delivered is lost, with a
 *     warning
 * @param repeatAfter time after which all is sent once more, for databases whose replicas lag
 *     behind; never if absent
 * @param drain longest time that the end of the application waits for what is queued
 * @param groups whether responses to unsafe methods name what they made untrue in
 *     Cache-Group-Invalidation too
 * @param sites addresses under which clients see the application, for URLs that begin with a slash;
 *     where the current request came to if none is named
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
        @DefaultValue List<URI> sites) {

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
            if (!Invalidation.isAbsolute(site)
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
