package dev.quire.core.rule;

import dev.quire.core.http.RequestHead;
import dev.quire.core.http.UriPath;
import dev.quire.core.policy.CacheKey;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The error pages of the operator; the first that matches is used. Immutable. */
public record ErrorPageRules(List<ErrorPageRule> rules) {
    public static final ErrorPageRules NONE = new ErrorPageRules(List.of());

    public ErrorPageRules {
        rules = List.copyOf(rules);
    }

    /**
     * Returns path and query of the page to send in place of our own error, or null.
     *
     * @param prefersJson whether the client does; asked only if it matters
     */
    public @Nullable String ofOwn(int status, RequestHead request, BooleanSupplier prefersJson) {
        return of(status, request, prefersJson, rule -> rule.isForOwn(status));
    }

    /** Returns path and query of the page to send in place of an origin's response, or null. */
    public @Nullable String ofOrigin(int status, RequestHead request, BooleanSupplier prefersJson) {
        return of(status, request, prefersJson, rule -> rule.isForOrigins(status));
    }

    private @Nullable String of(
            int status,
            RequestHead request,
            BooleanSupplier prefersJson,
            Predicate<ErrorPageRule> isForStatus) {
        if (rules.isEmpty() || !request.target().startsWith("/")) {
            return null;
        }
        var key = CacheKey.of(request);
        var path = UriPath.decoded(key.path());
        var simplified = UriPath.simplified(path);
        for (var rule : rules) {
            if (isForStatus.test(rule)
                    && rule.host().matches(key.authority())
                    && rule.path().matches(path, simplified)
                    && (rule.isForJson() || !prefersJson.getAsBoolean())) {
                return ErrorPageRule.target(rule.page(), status);
            }
        }
        return null;
    }
}
