package dev.quire.spring.internal.autoconfigure;

import dev.quire.spring.FragmentPolicy;
import dev.quire.spring.internal.exchange.GuardHits;
import dev.quire.spring.internal.handler.FragmentHandlers;
import dev.quire.spring.internal.handler.PathRules;
import dev.quire.spring.internal.invalidate.InvalidationHistory;
import dev.quire.spring.internal.invalidate.InvalidationKeys;
import dev.quire.spring.internal.invalidate.TagInvalidation;
import dev.quire.spring.internal.policy.TagTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * The actuator's endpoint {@code quire}: handlers and rules with their policies, how often and why
 * the guard made them private, and recent invalidations. Deleting a tag invalidates the responses
 * with that tag.
 */
@Endpoint(id = "quire")
public final class QuireEndpoint {

    private final FragmentHandlers handlers;
    private final PathRules rules;
    private final GuardHits hits;
    private final List<InvalidationHistory> histories;
    private final @Nullable TagInvalidation invalidation;

    QuireEndpoint(
            FragmentHandlers handlers,
            PathRules rules,
            GuardHits hits,
            List<InvalidationHistory> histories,
            @Nullable TagInvalidation invalidation) {
        this.handlers = handlers;
        this.rules = rules;
        this.hits = hits;
        this.histories = List.copyOf(histories);
        this.invalidation = invalidation;
    }

    /** Returns all handlers with a policy, all rules, and recent invalidations. */
    @ReadOperation
    public Report report() {
        var fragments = new ArrayList<Fragment>();
        for (var mapped : handlers.mapped()) {
            fragments.add(fragment(mapped.policy(), mapped.routes()));
        }
        for (var rule : rules.rules()) {
            fragments.add(fragment(rule.policy(), List.of(rule.path().getPatternString())));
        }
        var invalidations = new ArrayList<InvalidationHistory.Entry>();
        histories.forEach(history -> invalidations.addAll(history.latest()));
        invalidations.sort(Comparator.comparing(InvalidationHistory.Entry::at).reversed());
        return new Report(fragments, invalidations);
    }

    /**
     * Invalidates every response with {@code tag}.
     *
     * @return 204; 404 if the application cannot invalidate
     */
    @DeleteOperation
    public WebEndpointResponse<Void> invalidate(@Selector String tag) {
        if (!InvalidationKeys.isTag(tag)) {
            throw new InvalidEndpointRequestException(
                    "'%s' is not a tag (expected 1 to %d visible ASCII characters, no comma)"
                            .formatted(tag, InvalidationKeys.MOST_CHARS),
                    "not a tag");
        }
        if (invalidation == null) {
            return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
        }
        invalidation.invalidate(tag);
        return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
    }

    private Fragment fragment(FragmentPolicy policy, List<String> routes) {
        var guard = new TreeMap<String, Long>();
        hits.of(policy.handler()).forEach((reason, count) -> guard.put(reason.token(), count));
        return new Fragment(
                policy.name(),
                policy.handler(),
                routes,
                policy.kind().name().toLowerCase(Locale.ROOT),
                policy.scope().name().toLowerCase(Locale.ROOT),
                policy.ttl(),
                policy.stale().orElse(null),
                policy.staleIfError().orElse(null),
                policy.browser(),
                policy.tags().stream().map(TagTemplate::source).toList(),
                policy.timeout().orElse(null),
                guard);
    }

    /**
     * The body of the endpoint's response.
     *
     * @param fragments ordered by name, rules last
     * @param invalidations newest first
     */
    public record Report(List<Fragment> fragments, List<InvalidationHistory.Entry> invalidations) {}

    /**
     * A handler or rule with its policy.
     *
     * @param guard how often it was made private, by reason
     */
    public record Fragment(
            String name,
            String handler,
            List<String> routes,
            String kind,
            String scope,
            Duration ttl,
            @Nullable Duration stale,
            @Nullable Duration staleIfError,
            String browser,
            List<String> tags,
            @Nullable Duration timeout,
            Map<String, Long> guard) {}
}
