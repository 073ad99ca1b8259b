package dev.quire.test;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.RefusalReason;
import dev.quire.core.policy.Tags;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A fragment of a page, or the document of the page itself: how it came into it, and what the
 * application said of it. What it may be kept for is judged by the rules of the proxy as it is set
 * up by default. Never changes.
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

    /** The page it was asked for. */
    public Page page() {
        return page;
    }

    /** Path and query. */
    public String target() {
        return part.target();
    }

    /** How it came into the page. */
    public Part part() {
        return part;
    }

    /** What the application sent with it. */
    public Fields headers() {
        return part.fields();
    }

    /** What the application sent, ESI tags and all; empty where that is not known. */
    public Optional<String> html() {
        @Nullable Content body = part.body();
        return Optional.ofNullable(body).map(Content::text);
    }

    /** Whether it may be kept for other readers. */
    public boolean isPublic() {
        return terms.freshness().isPresent();
    }

    /** Why it may not be kept for other readers; empty if it may. */
    public Optional<RefusalReason> refusal() {
        return terms.refusal();
    }

    /** How long it is fresh, from when it was made; zero where it may not be kept. */
    public Duration ttl() {
        return terms.freshness()
                .filter(freshness -> !freshness.validateAlways())
                .map(Freshness::lifetime)
                .orElse(Duration.ZERO);
    }

    /** How much longer it may be served while it is refreshed. */
    public Duration grace() {
        return terms.freshness().map(Freshness::grace).orElse(Duration.ZERO);
    }

    /** How much longer it may stand in for an error of the application. */
    public Duration staleIfError() {
        return terms.freshness().map(Freshness::staleIfError).orElse(Duration.ZERO);
    }

    /** What it can be invalidated by, in the order the application names it. */
    public List<String> tags() {
        return Tags.of(part.fields());
    }

    /** What it may be kept for, and why not. */
    Terms terms() {
        return terms;
    }

    /** Whether it came out of what is kept. */
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
