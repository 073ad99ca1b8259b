package dev.quire.test;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.test.internal.Part;
import dev.quire.test.wire.internal.Excerpt;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about a fragment of a page: how it got into the page, and the response of the
 * application. Times are written {@code 30s}, {@code 200ms}, {@code 5m}, {@code 1h} or {@code
 * PT30S}.
 */
public final class FragmentAssert extends Claim<FragmentAssert, Fragment> {
    FragmentAssert(@Nullable Fragment fragment) {
        super(fragment, FragmentAssert.class, of -> of.page().trace());
    }

    /** It may be stored for other readers. */
    public FragmentAssert isPublic() {
        requireCame();
        return require(
                it().isPublic(),
                name() + " to be public",
                "it may be stored for other readers",
                "it is private: " + it().terms().whyPrivate().orElse("") + "\n" + said(),
                "the handler declares it public; the starter's guard makes a response private that sets a cookie or uses a session. docs/testing.md#private");
    }

    /** It is private to this reader and not stored for others. */
    public FragmentAssert isPrivate() {
        requireCame();
        return require(
                !it().isPublic(),
                name() + " to be private",
                "it is private",
                "it may be stored for other readers for %s\n%s".formatted(time(it().ttl()), said()),
                "if it shows data of one reader, its handler must declare it private. docs/testing.md#private");
    }

    /** Its freshness lifetime is exactly this time. */
    public FragmentAssert ttl(String time) {
        return lasts("to be fresh for ", TextDuration.of(time), it().ttl());
    }

    /** Its grace, in which it may be served stale while it is refreshed, is exactly this time. */
    public FragmentAssert stale(String time) {
        return lasts(
                "to be served stale, while it is refreshed, for ",
                TextDuration.of(time),
                it().grace());
    }

    /** Its stale-if-error time is exactly this time. */
    public FragmentAssert staleIfError(String time) {
        return lasts(
                "to be served stale on errors for ", TextDuration.of(time), it().staleIfError());
    }

    /** It has these tags, and maybe others. */
    public FragmentAssert hasTags(String... tags) {
        var seen = it().tags();
        var missing = List.of(tags).stream().filter(tag -> !seen.contains(tag)).toList();
        return require(
                missing.isEmpty(),
                name() + " to have the tags " + String.join(", ", tags),
                String.join(", ", tags),
                listed(seen) + "\nmissing: " + String.join(", ", missing),
                nextForTags());
    }

    /** It has these tags and no others, in any order. */
    public FragmentAssert hasExactlyTags(String... tags) {
        var seen = it().tags();
        var expected = List.of(tags);
        var missing = expected.stream().filter(tag -> !seen.contains(tag)).toList();
        var beyond = seen.stream().filter(tag -> !expected.contains(tag)).toList();
        return require(
                missing.isEmpty() && beyond.isEmpty(),
                name() + " to have only the tags " + String.join(", ", tags),
                listed(expected),
                "%s\nmissing: %s; unexpected: %s"
                        .formatted(listed(seen), listed(missing), listed(beyond)),
                nextForTags());
    }

    /** It was a hit: stored, and fresh. */
    public FragmentAssert wasHit() {
        return cameAs(CacheOutcome.HIT);
    }

    /** It was a miss: fetched, and its response may be stored. */
    public FragmentAssert wasMiss() {
        return cameAs(CacheOutcome.MISS);
    }

    /** It was served stale from the cache. */
    public FragmentAssert wasStale() {
        return cameAs(CacheOutcome.STALE);
    }

    /** It was passed: fetched, and its response may not be stored. */
    public FragmentAssert wasPassed() {
        return cameAs(CacheOutcome.PASS);
    }

    /** It was stored, and revalidated by the application. */
    public FragmentAssert wasRevalidated() {
        return cameAs(CacheOutcome.REVALIDATED);
    }

    /** It has failed, so it is not in the page. */
    public FragmentAssert isMissing() {
        return cameAs(CacheOutcome.FAILED);
    }

    /** It has failed with this status of the application; 0 if there was no response. */
    public FragmentAssert failedWith(int status) {
        isMissing();
        return require(
                part().status() == status,
                "%s to have failed with %d".formatted(name(), status),
                String.valueOf(status),
                part().status() + ": " + Objects.requireNonNullElse(part().error(), "it failed"),
                "the trace above shows the application's response");
    }

    public FragmentAssert hasStatus(int status) {
        return require(
                part().status() == status,
                "%s to have status %d".formatted(name(), status),
                String.valueOf(status),
                String.valueOf(part().status()),
                "request it alone: site.ask(\"%s\")".formatted(it().target()));
    }

    public FragmentAssert setsNoCookies() {
        requireCame();
        var cookies = it().terms().cookiesSet();
        return require(
                cookies.isEmpty(),
                name() + " to set no cookie",
                "no Set-Cookie",
                String.join(
                        "\n",
                        it().headers().all("Set-Cookie").stream()
                                .map(line -> line.replaceFirst("=[^;]*", "=..."))
                                .toList()),
                "%s: find the code that sets it. Starting a session while the fragment is rendered also sets one. docs/testing.md#cookies"
                        .formatted(String.join(", ", cookies)));
    }

    /** It is included by the document with this path, target or handler name. */
    public FragmentAssert isInside(String pathOrName) {
        var parent = part().parent();
        var expected = it().page().site().targetOf(pathOrName);
        return require(
                parent != null && Targets.isMeant(expected, parent),
                "%s to be included by %s".formatted(name(), pathOrName),
                expected,
                parent == null ? "it is the page itself" : parent,
                "in the trace above a part is indented below the part that includes it");
    }

    /** The application's document contains each of {@code texts}; its ESI tags count as text. */
    public FragmentAssert contains(String... texts) {
        for (var text : texts) {
            require(
                    html().contains(text),
                    "%s to contain %s".formatted(name(), Excerpt.of(text)),
                    Excerpt.of(text),
                    Excerpt.of(html()),
                    "request it alone: site.ask(\"%s\")".formatted(it().target()));
        }
        return this;
    }

    /** The application's document contains none of {@code texts}. */
    public FragmentAssert doesNotContain(String... texts) {
        for (var text : texts) {
            require(
                    !html().contains(text),
                    "%s not to contain %s".formatted(name(), Excerpt.of(text)),
                    "no such text",
                    Excerpt.of(html()),
                    "if it belongs to one reader: LeakDetector.check(site) names the cause");
        }
        return this;
    }

    /** The application sent a field line with this name and value. */
    public FragmentAssert hasField(String name, String value) {
        var found = it().headers().all(name);
        return require(
                found.contains(value),
                "%s to have %s: %s".formatted(name(), name, value),
                value,
                found.isEmpty() ? "no " + name : String.join("\n", found),
                "these are the fields the application sent, not those its reader got");
    }

    public PageAssert and() {
        return new PageAssert(it().page());
    }

    private FragmentAssert cameAs(CacheOutcome expected) {
        var seen = part().outcome();
        return require(
                seen == expected,
                "%s to have the outcome %s".formatted(name(), word(expected)),
                word(expected) + ": " + meaning(expected),
                "%s: %s%s"
                        .formatted(
                                word(seen),
                                meaning(seen),
                                part().error() == null ? "" : "\n" + part().error()),
                next(expected, seen));
    }

    private String next(CacheOutcome expected, CacheOutcome seen) {
        if (seen == CacheOutcome.FAILED) {
            return "request it alone: site.ask(\"%s\")".formatted(it().target());
        }
        if (expected == CacheOutcome.HIT && seen == CacheOutcome.PASS) {
            return "it is not stored: "
                    + it().terms().whyPrivate().orElse("its fields allow it, but it was passed")
                    + ". docs/testing.md#private";
        }
        if (expected == CacheOutcome.HIT) {
            return "was the page requested before, for the same variant, within its ttl of %s? docs/testing.md#outcomes"
                    .formatted(time(it().ttl()));
        }
        if (it().wasKept() && (expected == CacheOutcome.MISS || expected == CacheOutcome.PASS)) {
            return "it was stored before this request: site.reset() clears the site, site.purge(\"%s\") removes it. docs/testing.md#outcomes"
                    .formatted(it().target());
        }
        if (expected == CacheOutcome.FAILED) {
            return "make it fail: site.with(Faults.none().fail(\"%s\", 503)). docs/testing.md#outcomes"
                    .formatted(part().path());
        }
        if (expected == CacheOutcome.PASS) {
            return "it may be stored for other readers: does its handler declare it private? docs/testing.md#private";
        }
        if (expected == CacheOutcome.MISS) {
            return "it may not be stored: %s. docs/testing.md#private"
                    .formatted(it().terms().whyPrivate().orElse("nothing allows it"));
        }
        return "advance the clock with site.clock().advance(...): it is fresh for %s, then stale for %s. docs/testing.md#outcomes"
                .formatted(time(it().ttl()), time(it().grace()));
    }

    private static String meaning(CacheOutcome outcome) {
        return switch (outcome) {
            case HIT -> "stored, and fresh";
            case STALE -> "stored, past its lifetime, within its grace";
            case REVALIDATED -> "stored, and confirmed by the application";
            case MISS -> "fetched, and may be stored";
            case PASS -> "fetched, not stored";
            case FAILED -> "no usable response";
        };
    }

    private FragmentAssert lasts(String claim, Duration expected, Duration seen) {
        return require(
                seen.equals(expected),
                name() + " " + claim + time(expected),
                time(expected),
                "%s%s\n%s"
                        .formatted(
                                time(seen),
                                it().terms()
                                        .whyPrivate()
                                        .map(why -> ", because it is not stored: " + why)
                                        .orElse(""),
                                said()),
                "find where it is set: the handler, the include (ttl), another field, or the surrogate's default. docs/testing.md#lifetime");
    }

    private String nextForTags() {
        return "tags come from Surrogate-Key, xkey, Cache-Tag, X-Cache-Tags and Cache-Groups; a tag expression without a result adds no tag. docs/testing.md#tags";
    }

    private String name() {
        return part().parent() == null
                ? "the document " + it().target()
                : "fragment %s of %s".formatted(it().target(), it().page().asked().target());
    }

    private String said() {
        return String.join("\n", it().terms().saidOfKeeping());
    }

    private String html() {
        return it().html()
                .orElseThrow(() ->
                        new AssertionError(
                                "the application's response for %s is unknown: it was stored before the site was opened (request the page after site.reset())"
                                        .formatted(it().target())));
    }

    private Part part() {
        return it().part();
    }

    private static String word(CacheOutcome outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }

    private static String time(Duration time) {
        return TextDuration.text(time);
    }

    private static String listed(List<String> tags) {
        return tags.isEmpty() ? "none" : String.join(", ", tags);
    }

    /** Requires a response, without which nothing else can be checked. */
    private void requireCame() {
        require(
                part().outcome() != CacheOutcome.FAILED,
                name() + " to have a response",
                "a response of the application",
                "none: " + part().error(),
                "for a fragment that is meant to fail: isMissing(), failedWith(503)");
    }
}
