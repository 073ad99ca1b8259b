package dev.quire.test;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.Tags;
import dev.quire.test.internal.Part;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Response;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A fragment of a page, or the document of the page itself: how it got into the page, and the
 * response of the application. Its cacheability is judged by the rules of the proxy with default
 * settings. Immutable.
 */
public final class Fragment {
    private final Page page;
    private final Part part;
    private final Terms terms;

    Fragment(Page page, Part part) {
        this.page = page;
        this.part = part;
        this.terms = Terms.of(part, page.trace());
    }

    public Page page() {
        return page;
    }

    public String target() {
        return part.target();
    }

    public CacheOutcome outcome() {
        return part.outcome();
    }

    /** The status of the application's response; 0 without a response. */
    public int status() {
        return part.status();
    }

    Part part() {
        return part;
    }

    public Fields headers() {
        return part.fields();
    }

    /** The document as the application sent it, with its ESI tags; empty if unknown. */
    public Optional<String> html() {
        @Nullable Content body = part.body();
        return Optional.ofNullable(body)
                .map(it -> Response.of(part.status(), part.fields(), it).text());
    }

    public boolean isPublic() {
        return terms.freshness().isPresent();
    }

    /** Its freshness lifetime; zero if it may not be stored. */
    public Duration ttl() {
        return terms.freshness()
                .filter(freshness -> !freshness.validateAlways())
                .map(Freshness::lifetime)
                .orElse(Duration.ZERO);
    }

    /** Its grace: how long it may be served stale while it is refreshed. */
    public Duration grace() {
        return terms.freshness().map(Freshness::grace).orElse(Duration.ZERO);
    }

    public Duration staleIfError() {
        return terms.freshness().map(Freshness::staleIfError).orElse(Duration.ZERO);
    }

    /** Its tags for invalidation, in the order of the application's field. */
    public List<String> tags() {
        return Tags.of(part.fields());
    }

    Terms terms() {
        return terms;
    }

    boolean wasKept() {
        return switch (part.outcome()) {
            case HIT, STALE, REVALIDATED -> true;
            case MISS, PASS, FAILED -> false;
        };
    }

    @Override
    public String toString() {
        return part.target() + " " + part.outcome();
    }
}
