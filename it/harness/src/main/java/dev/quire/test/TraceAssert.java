package dev.quire.test;

import dev.quire.test.internal.Part;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about the assembly of a page: the requests to the application, the depth, the
 * duration. A path matches its target with any query, unless it has one.
 */
public final class TraceAssert extends Claim<TraceAssert, AssemblyTrace> {
    private static final String WAS_STORED =
            "was it already stored? site.reset() clears the site. docs/testing.md#requests";

    private final @Nullable PageAssert page;

    TraceAssert(@Nullable AssemblyTrace trace, @Nullable PageAssert page) {
        super(trace, TraceAssert.class, Function.identity());
        this.page = page;
    }

    public TraceAssert madeRequests(String path, int times) {
        requirePath(path);
        return requireRequests(
                asked(),
                path,
                times,
                targets(),
                WAS_STORED,
                "is it stored, and for all readers? A stored response that was requested nevertheless was fetched twice. docs/testing.md#requests");
    }

    /** The application got no requests: all parts came from the cache. */
    public TraceAssert madeNoRequests() {
        return madeRequestsOnly();
    }

    /** The application got one request for each of these, in any order, and no others. */
    public TraceAssert madeRequestsOnly(String... paths) {
        var expected = List.of(paths);
        expected.forEach(TraceAssert::requirePath);
        return requireRequestsOnly(
                asked(),
                expected,
                targets(),
                WAS_STORED,
                "a response that is not stored, or no longer fresh, is fetched each time: see the column 'stored'. docs/testing.md#requests");
    }

    /**
     * These fragments were all in flight at the same time.
     *
     * @throws AssertionError also if one of them was not requested from the application
     */
    public TraceAssert ranInParallel(String... paths) {
        if (paths.length < 2) {
            throw new IllegalArgumentException(
                    "expected at least two fragments (for example ranInParallel(\"/live\", \"/map\"))");
        }
        var spans = Arrays.stream(paths).map(this::span).toList();
        for (int i = 0; i < spans.size(); i++) {
            for (int j = i + 1; j < spans.size(); j++) {
                var one = spans.get(i);
                var other = spans.get(j);
                require(
                        one.overlaps(other),
                        "%s and %s of %s to be fetched in parallel"
                                .formatted(one.path(), other.path(), asked()),
                        "both in flight at the same time",
                        "%s ms and %s ms".formatted(one.text(), other.text()),
                        "an include after an assign, choose or eval that needs another fragment waits for it. docs/testing.md#parallel");
            }
        }
        return this;
    }

    /** It took less than this, by the machine's clock. */
    public TraceAssert tookLessThan(String time) {
        var most = TextDuration.of(time);
        var took = TraceText.waited(it());
        return require(
                took.compareTo(most) < 0,
                "%s to take less than %s".formatted(asked(), TextDuration.text(most)),
                "less than " + TextDuration.text(most),
                TextDuration.text(took),
                "the longest bar above shows what it waited for");
    }

    /** Its fragments are nested to this depth; a page without fragments has depth 0. */
    public TraceAssert hasDepth(int levels) {
        int seen = parts().stream().mapToInt(Part::depth).max().orElse(0);
        return require(
                seen == levels,
                "%s to have %d levels of fragments".formatted(asked(), levels),
                String.valueOf(levels),
                String.valueOf(seen),
                "in the trace above each level is indented");
    }

    /**
     * Returns to the page.
     *
     * @throws IllegalStateException if the assertion started with a trace
     */
    public PageAssert and() {
        if (page == null) {
            throw new IllegalStateException(
                    "there is no page to go back to (begin with assertThat(page).trace())");
        }
        return page;
    }

    /** A time span, relative to the request of the page. */
    private record Span(String path, Duration from, Duration to) {
        boolean overlaps(Span other) {
            return from.compareTo(other.to) < 0 && other.from.compareTo(to) < 0;
        }

        String text() {
            return TraceText.millis(from, to);
        }
    }

    /** The span of the fetched part; of the request, if parts are not reported. */
    private Span span(String path) {
        requirePath(path);
        var request =
                it().requests().stream()
                        .filter(each -> Targets.isMeant(path, each.target()))
                        .findFirst();
        require(
                request.isPresent(),
                "%s to fetch %s".formatted(asked(), path),
                "a request for " + path,
                Targets.listed(targets()),
                "a stored response is not fetched: site.reset() clears the site. docs/testing.md#parallel");
        var begun = it().begun();
        var ofRequest =
                request.map(each ->
                                new Span(path, each.from().minus(begun), each.to().minus(begun)))
                        .orElseThrow();
        return it().parts().orElse(List.of()).stream()
                .filter(part -> part.depth() > 0 && Targets.isMeant(path, part.target()))
                .map(part -> new Span(path, part.from(), part.to()))
                .findFirst()
                .orElse(ofRequest);
    }

    private List<Part> parts() {
        var told = it().parts();
        if (told.isEmpty()) {
            failWithMessage("%s", Failures.untold(it()));
        }
        return told.orElse(List.of());
    }

    private List<String> targets() {
        return it().requests().stream()
                .map(ApplicationRequest::target)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private String asked() {
        return it().asked().target();
    }

    private static void requirePath(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException(
                    "'%s' is not a path (expected for example '/live')".formatted(path));
        }
    }
}
