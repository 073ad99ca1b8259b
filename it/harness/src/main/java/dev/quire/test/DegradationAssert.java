package dev.quire.test;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.core.policy.Freshness;
import dev.quire.test.internal.Part;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.internal.Excerpt;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Assertions about the response to a reader when a part of the page has failed. */
public final class DegradationAssert extends Claim<DegradationAssert, Page> {
    /** Shorter pieces of an error page could occur anywhere and are ignored. */
    private static final int TELLING_CHARACTERS = 8;

    private final PageAssert page;

    DegradationAssert(Page actual, PageAssert page) {
        super(actual, DegradationAssert.class, Page::trace);
        this.page = page;
        requireFailure();
    }

    public DegradationAssert keepsStatus(int status) {
        return require(
                it().status() == status,
                "%s to have status %d although a part failed".formatted(target(), status),
                String.valueOf(status),
                it().status() + ", " + Excerpt.of(it().html()),
                "onerror=\"fail\" makes the page fail with the fragment; so does a page handler that fetches the fragment itself. docs/testing.md#degrades");
    }

    /**
     * The page shows the fallback of this fragment: its {@code alt}, the {@code except} of its
     * {@code try}, or a stale copy in place of a failure.
     *
     * @throws AssertionError also if it has not failed
     */
    public DegradationAssert showsFallback(String pathOrName) {
        var fragment = it().fragment(pathOrName);
        if (standsIn(fragment.part())) {
            return this;
        }
        requireFailed(fragment);
        var includes = Composition.includesOf(it(), fragment.part());
        boolean shows = includes.stream().anyMatch(this::showsFallback);
        return require(
                shows,
                "%s to show a fallback in place of %s".formatted(target(), fragment.target()),
                includes.isEmpty()
                        ? "its alt, the except of its try, or its stale copy"
                        : includes.stream()
                                .map(DegradationAssert::provided)
                                .collect(Collectors.joining("\n")),
                includes.isEmpty()
                        ? "its include depends on the request, so its fallback is not known"
                        : "the page has none: " + Excerpt.of(it().html()),
                includes.isEmpty()
                        ? "name the text: showsFallback(\"%s\", \"...\"). docs/testing.md#degrades"
                                .formatted(pathOrName)
                        : "an include without alt or try leaves nothing when it fails. docs/testing.md#degrades");
    }

    /**
     * This fragment has failed, and the page contains {@code text} anywhere, so choose a text that
     * is unique in the page. If the assembler does not report parts, only the text is checked.
     */
    public DegradationAssert showsFallback(String pathOrName, String text) {
        if (it().trace().parts().isPresent()) {
            var fragment = it().fragment(pathOrName);
            if (!standsIn(fragment.part())) {
                requireFailed(fragment);
            }
        }
        return require(
                it().html().contains(text),
                "%s to show %s in place of %s".formatted(target(), Excerpt.of(text), pathOrName),
                Excerpt.of(text),
                Excerpt.of(it().html()),
                "an include without alt or try leaves nothing when it fails. docs/testing.md#degrades");
    }

    /** These fragments have failed; all others are present, in their places. */
    public DegradationAssert showsEverythingBut(String... pathsOrNames) {
        var named = Arrays.stream(pathsOrNames).map(it().site()::targetOf).toList();
        Arrays.stream(pathsOrNames).map(it()::fragment).forEach(this::requireFailed);
        var wrong = new ArrayList<String>();
        for (var part : it().parts()) {
            boolean isNamed = named.stream().anyMatch(name -> Targets.isMeant(name, part.target()));
            if (part.outcome() == CacheOutcome.FAILED && !isNamed) {
                wrong.add(part.target() + " is missing too: " + part.error());
            }
        }
        for (var fault : Composition.faults(it())) {
            boolean isFailed =
                    it().parts().stream()
                            .anyMatch(part ->
                                    part.outcome() == CacheOutcome.FAILED
                                            && part.target().equals(fault.target()));
            if (!isFailed) {
                wrong.add(fault.toString());
            }
        }
        return require(
                wrong.isEmpty(),
                "%s to show everything but %s".formatted(target(), String.join(", ", named)),
                "all other fragments",
                String.join("\n", wrong),
                "fragments in the same try, or included by a failed one, fail with it. docs/testing.md#degrades");
    }

    /**
     * The page contains no part of a failed response: no error page, no piece of a truncated
     * fragment.
     */
    public DegradationAssert showsNoErrorBody() {
        var found =
                it().trace().requests().stream()
                        .filter(request -> !request.target().equals(target()))
                        .filter(request -> !isWholeAllTheSame(request))
                        .flatMap(request -> shown(request).stream())
                        .toList();
        return require(
                found.isEmpty(),
                target() + " to show no part of a failed response",
                "neither an error page nor a truncated fragment",
                String.join("\n", found),
                "only complete 2xx responses may become part of a page. docs/testing.md#degrades");
    }

    public PageAssert and() {
        return page;
    }

    private void requireFailure() {
        boolean partFailed =
                it().trace().parts().orElse(List.of()).stream()
                        .anyMatch(part -> part.outcome() == CacheOutcome.FAILED || standsIn(part));
        boolean replyFailed =
                it().trace().requests().stream().anyMatch(request -> !isWell(request.reply()));
        require(
                partFailed || replyFailed,
                "a part of " + target() + " to have failed",
                "a failed fragment",
                TraceText.unusedFaults(it().trace())
                        .map(unused -> "no failure; faults that matched no request: " + unused)
                        .orElse("no failure"),
                it().trace().requests().isEmpty()
                        ? "every part came from the cache, so no fault could occur: advance the clock (site.clock().advance(...)) or clear the site (site.reset())"
                        : "make it fail: site.with(Faults.none().fail(\"/live\", 503)).get(\"%s\"). docs/testing.md#degrades"
                                .formatted(target()));
    }

    /**
     * Whether the stale {@code part} is there because its resource has failed; within its grace it
     * would be there anyway.
     */
    private boolean standsIn(Part part) {
        return part.outcome() == CacheOutcome.STALE
                && (!failures(part.target()).isEmpty()
                        || part.freshness().filter(this::isPastGrace).isPresent());
    }

    private boolean isPastGrace(Freshness freshness) {
        var left = freshness.remainingAt(it().trace().at());
        return left.plus(freshness.grace()).isNegative();
    }

    private List<Reply> failures(String target) {
        return it().trace().requests().stream()
                .filter(request -> request.target().equals(target))
                .map(ApplicationRequest::reply)
                .filter(reply -> !isWell(reply))
                .toList();
    }

    private void requireFailed(Fragment fragment) {
        var broken = failures(fragment.target()).stream().map(TraceText::replied).toList();
        require(
                fragment.part().outcome() == CacheOutcome.FAILED,
                "%s of %s to have failed".formatted(fragment.target(), target()),
                "a failed fragment",
                broken.isEmpty()
                        ? fragment.toString()
                        : "%s, although the application answered %s"
                                .formatted(fragment, String.join(", ", broken)),
                broken.isEmpty()
                        ? "make it fail: site.with(Faults.none().fail(\"%s\", 503)). docs/testing.md#degrades"
                                .formatted(fragment.part().path())
                        : "%s accepted a failed response as a fragment, or retried: only complete 2xx responses may become part of a page. docs/testing.md#degrades"
                                .formatted(it().trace().by()));
    }

    private static boolean isWell(Reply reply) {
        return reply instanceof Reply.Whole && reply.status() < 400;
    }

    private boolean showsFallback(Includes.Include include) {
        return include.alt().filter(this::isThere).isPresent()
                || include.exceptTexts().stream().anyMatch(it().html()::contains)
                || include.exceptTargets().stream().anyMatch(this::isThere);
    }

    private boolean isThere(String target) {
        return it().parts().stream()
                .anyMatch(part ->
                        part.target().equals(target) && part.outcome() != CacheOutcome.FAILED);
    }

    private static String provided(Includes.Include include) {
        var all = new ArrayList<String>();
        include.alt().ifPresent(alt -> all.add("alt " + alt));
        include.exceptTexts().forEach(text -> all.add("except " + Excerpt.of(text)));
        include.exceptTargets().forEach(target -> all.add("except " + target));
        if (all.isEmpty()) {
            all.add(
                    include.isOmittable()
                            ? "a fallback (its include has only onerror=\"continue\")"
                            : "a fallback (its include has none)");
        }
        return String.join(", or ", all);
    }

    /**
     * Whether a truncated reply starts like its fallback, or was complete at the second attempt.
     */
    private boolean isWholeAllTheSame(ApplicationRequest request) {
        if (!(request.reply() instanceof Reply.Cut(var response, var bytes))) {
            return false;
        }
        boolean isStale =
                it().trace().parts().orElse(List.of()).stream()
                        .anyMatch(part ->
                                part.outcome() == CacheOutcome.STALE
                                        && part.target().equals(request.target()));
        return isStale || it().html().contains(it().text(response.body()).strip());
    }

    private Optional<String> shown(ApplicationRequest request) {
        return piece(request.reply())
                .filter(piece -> piece.length() >= TELLING_CHARACTERS)
                .filter(it().html()::contains)
                .map(piece ->
                        "%s answered %s, and %s is in the page"
                                .formatted(
                                        request.target(),
                                        TraceText.replied(request.reply()),
                                        Excerpt.of(piece)));
    }

    private Optional<String> piece(Reply reply) {
        return switch (reply) {
            case Reply.Whole(var response) when response.status() >= 400 ->
                    Optional.of(it().text(response.body()).strip());
            case Reply.Whole(var response) -> Optional.empty();
            case Reply.Cut(var response, var bytes) -> {
                var body = response.body().bytes();
                var piece = Arrays.copyOf(body, Math.min(bytes, body.length));
                yield Optional.of(it().text(Content.of(piece)).strip());
            }
            case Reply.None(var why) -> Optional.empty();
        };
    }

    private String target() {
        return it().asked().target();
    }
}
