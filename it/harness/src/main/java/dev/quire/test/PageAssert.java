package dev.quire.test;

import dev.quire.core.policy.ClientLifetime;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.internal.Excerpt;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.jspecify.annotations.Nullable;

/** Assertions about a page as its reader got it. */
public final class PageAssert extends Claim<PageAssert, Page> {
    private final List<String> ignored = new ArrayList<>();

    PageAssert(@Nullable Page page) {
        super(page, PageAssert.class, Page::trace);
    }

    public PageAssert hasStatus(int status) {
        return require(
                it().status() == status,
                target() + " to have status " + status,
                String.valueOf(status),
                it().status() + shortBody(),
                switch (it().status() / 100) {
                    case 3 ->
                            "it redirects to %s: follow it with site.follow(page)"
                                    .formatted(it().headers().first("Location"));
                    case 5 ->
                            "the trace above shows which part failed and the application's response";
                    default -> "check the path, and that this reader may see the page";
                });
    }

    public PageAssert contains(String... texts) {
        for (var text : texts) {
            require(
                    it().html().contains(text),
                    "%s to contain %s".formatted(target(), Excerpt.of(text)),
                    Excerpt.of(text),
                    "a page of %d characters without it: %s"
                            .formatted(it().html().length(), Excerpt.of(it().html())),
                    "check the fragment that contains it: the trace above shows parts that failed or are stale");
        }
        return this;
    }

    public PageAssert doesNotContain(String... texts) {
        for (var text : texts) {
            int at = it().html().indexOf(text);
            require(
                    at < 0,
                    "%s not to contain %s".formatted(target(), Excerpt.of(text)),
                    "no such text",
                    at < 0 ? "" : Excerpt.near(it().html(), at, 60, 120) + broughtBy(it(), text),
                    "if it belongs to one reader and the fragment is public: LeakDetector.check(site) names the cause");
        }
        return this;
    }

    /** An element matching {@code selector} has this text; whitespace is collapsed. */
    public PageAssert hasText(String selector, String text) {
        var found = it().dom().select(selector).stream().map(Element::text).toList();
        return require(
                found.contains(text),
                "%s to have the text %s in %s".formatted(target(), Excerpt.of(text), selector),
                Excerpt.of(text),
                found.isEmpty()
                        ? "no element " + selector
                        : String.join("\n", found.stream().map(Excerpt::of).toList()),
                "the element comes from the page or from one of the fragments above");
    }

    public PageAssert hasElement(String selector) {
        return require(
                it().dom().selectFirst(selector) != null,
                "%s to have an element %s".formatted(target(), selector),
                selector,
                "none in a page of %d elements".formatted(it().dom().getAllElements().size()),
                "the element comes from the page or from one of the fragments above");
    }

    public PageAssert hasNoElement(String selector) {
        var found = it().dom().selectFirst(selector);
        return require(
                found == null,
                "%s to have no element %s".formatted(target(), selector),
                "none",
                found == null
                        ? ""
                        : FirstDifference.path(found) + ": " + Excerpt.of(found.outerHtml()),
                "the element comes from the page or from one of the fragments above");
    }

    /** The reader got a field line with this name and value. */
    public PageAssert hasField(String name, String value) {
        var found = it().headers().all(name);
        return require(
                found.contains(value),
                "%s to have %s: %s".formatted(target(), name, value),
                value,
                found.isEmpty() ? "no " + name : String.join("\n", found),
                "the fields the application sent: page.document().headers()");
    }

    public PageAssert hasField(String name) {
        return require(
                it().headers().contains(name),
                "%s to have a field %s".formatted(target(), name),
                "a field " + name,
                "none among " + fieldNames(),
                "the fields the application sent: page.document().headers()");
    }

    public PageAssert hasNoField(String name) {
        return require(
                !it().headers().contains(name),
                "%s to have no field %s".formatted(target(), name),
                "none",
                String.join("\n", it().headers().all(name)),
                "the fields the application sent: page.document().headers()");
    }

    /** It redirects to {@code path}, on the same site. */
    public PageAssert redirectsTo(String path) {
        var location = it().headers().first("Location");
        boolean redirects = it().status() / 100 == 3 && location != null;
        return require(
                redirects && location != null && leadsTo(path, location),
                "%s to redirect to %s".formatted(target(), path),
                path,
                redirects ? location + "" : "no redirect: status " + it().status() + shortBody(),
                "the redirect may depend on a login; the reader is " + it().site().user());
    }

    /** Whether {@code location} is {@code path} on the page's own site, or exactly that text. */
    private boolean leadsTo(String path, String location) {
        if (path.equals(location)) {
            return true;
        }
        try {
            var place = URI.create(target()).resolve(location);
            var host = place.getRawAuthority();
            var query = place.getRawQuery();
            return (host == null || host.equals(it().asked().field("Host")))
                    && path.equals(place.getRawPath() + (query == null ? "" : "?" + query));
        } catch (IllegalArgumentException unreadable) {
            return false;
        }
    }

    /**
     * Assertions about the first fragment with this path, target or handler name.
     *
     * @throws AssertionError if the page has none; the message names the existing ones
     */
    public FragmentAssert fragment(String pathOrName) {
        return new FragmentAssert(it().fragment(pathOrName));
    }

    /** Assertions about the document of the page itself, without its fragments. */
    public FragmentAssert document() {
        return new FragmentAssert(it().document());
    }

    /** It has exactly these fragments, of all levels, requested in this order. */
    public PageAssert hasFragments(String... pathsOrNames) {
        var expected = Arrays.stream(pathsOrNames).map(it().site()::targetOf).toList();
        var seen = it().fragments().stream().map(Fragment::target).toList();
        boolean holds = expected.size() == seen.size();
        for (int i = 0; holds && i < seen.size(); i++) {
            holds = Targets.isMeant(expected.get(i), seen.get(i));
        }
        var missing = Targets.missing(expected, seen);
        var beyond = Targets.beyond(expected, seen);
        var difference =
                missing.isEmpty() && beyond.isEmpty()
                        ? "(the same, in another order)"
                        : "(missing: %s; unexpected: %s)"
                                .formatted(Targets.listed(missing), Targets.listed(beyond));
        return require(
                holds,
                "%s to have %d fragments".formatted(target(), expected.size()),
                expected.isEmpty() ? "none" : String.join(", ", expected),
                (seen.isEmpty() ? "none" : String.join(", ", seen)) + "\n" + difference,
                "fragments are fetched in the order of their includes; nested ones after the fragment that includes them. docs/testing.md#fragments");
    }

    /**
     * It contains nothing that is meant for a surrogate: no ESI tag, {@code <!--esi} comment,
     * reference such as {@code $(HTTP_HOST)}, stamp, or {@code Surrogate-...} field.
     */
    public PageAssert hasNoEsiMarkup() {
        var found = Leftovers.of(it());
        boolean isDocument = it().trace().parts().isEmpty() || asksForEsi(it().document());
        return require(
                found.isEmpty(),
                target() + " to have no ESI markup",
                "neither tags, comments, references, stamps nor Surrogate-... fields",
                String.join("\n", found),
                found.stream().allMatch(each -> each.startsWith("the field "))
                        ? "a surrogate removes these fields; an application without a surrogate sends them to every client. docs/testing.md#markup"
                        : isDocument
                                ? "did the application write the tag (Thymeleaf dialect, tag library, Esi), or is it in a reader's text? docs/testing.md#markup"
                                : "the application did not send Surrogate-Control: content=\"ESI/1.0\", so the page was not processed as ESI. docs/testing.md#markup");
    }

    /**
     * It has all parts that its author included: each include was fetched and is in its place, or
     * has a fallback ({@code alt}, {@code onerror} or {@code try}). Includes that depend on the
     * request are only checked for a fallback.
     *
     * @throws AssertionError also if the assembler does not report parts
     */
    public PageAssert hasNoUnresolvedIncludes() {
        var faults = Composition.faults(it());
        return require(
                faults.isEmpty(),
                "every include of " + target() + " to be resolved",
                "each fetched and in its place, or replaced by a fallback",
                faults.stream().map(Composition.Fault::toString).collect(Collectors.joining("\n")),
                "request the fragment alone: site.ask(\"...\"); the page defines its fallback. docs/testing.md#includes");
    }

    /**
     * Its reader may reuse it for exactly this time. For the lifetime in the surrogate use {@code
     * document().ttl("30s")}.
     */
    public PageAssert isCacheableFor(String time) {
        var expected = TextDuration.of(time);
        var seen = clientLifetime();
        return require(
                seen.reusableFor().equals(expected) && (!seen.noStore() || expected.isZero()),
                "readers of %s to be allowed to cache it for %s"
                        .formatted(target(), TextDuration.text(expected)),
                TextDuration.text(expected),
                TextDuration.text(seen.reusableFor()) + "\n" + saidToReader(),
                "clients may cache a page for the shortest Cache-Control: max-age of its parts, and not at all with a private part; for the lifetime in the surrogate: assertThat(page).document().ttl(\"...\"). docs/testing.md#readers");
    }

    /** Only its reader may store it: it has {@code private} or {@code no-store}. */
    public PageAssert isPrivate() {
        var seen = clientLifetime();
        return require(
                seen.isPrivate() || seen.noStore(),
                target() + " to be private to its reader",
                "Cache-Control: private",
                saidToReader(),
                "a page is private if it or one of its parts is declared private: is the part that shows the reader private? docs/testing.md#readers");
    }

    /** No cache may store it, the reader's included: it has {@code no-store}. */
    public PageAssert isNotStored() {
        return require(
                clientLifetime().noStore(),
                target() + " not to be stored by any cache",
                "Cache-Control: no-store",
                saidToReader(),
                "set it in the page's own Cache-Control; a page with a missing fragment also gets it. docs/testing.md#readers");
    }

    /** Excludes the elements matching {@code selector} from later comparisons of its DOM. */
    public PageAssert ignoring(String selector) {
        ignored.add(selector);
        return this;
    }

    /**
     * It has the DOM of {@code src/test/resources/golden/NAME.html}, except for the order of
     * attributes, whitespace between tags, and comments. With {@code -Dquire.golden=update} the
     * file is written instead.
     */
    public PageAssert matchesGolden(String name) {
        return matchesGolden(name, Golden.ofThisBuild());
    }

    PageAssert matchesGolden(String name, Golden golden) {
        return require(() -> golden.verify(name, it(), ignored));
    }

    /** It has the same DOM as {@code other}, compared like golden pages. */
    public PageAssert hasSameDomAs(Page other) {
        var difference =
                FirstDifference.of(
                        NormalDom.of(other.html(), ignored), NormalDom.of(it().html(), ignored));
        return require(
                difference.isEmpty(),
                "%s to have the same DOM as %s".formatted(it(), other),
                difference.map(FirstDifference::expected).orElse(""),
                difference.map(FirstDifference::found).orElse(""),
                "to exclude changing elements: .ignoring(\"selector\") before hasSameDomAs");
    }

    public PageAssert hasSameBytesAs(Page other) {
        var expected = other.response().body().bytes();
        var seen = it().response().body().bytes();
        int at = Arrays.mismatch(expected, seen);
        return require(
                at < 0,
                "%s to have the same bytes as %s".formatted(it(), other),
                excerpt(expected, at),
                excerpt(seen, at) + "\nfrom byte " + at + " on",
                "if only whitespace or the order of attributes differs: hasSameDomAs(other)");
    }

    public TraceAssert trace() {
        return new TraceAssert(it().trace(), this);
    }

    /**
     * Assertions about its content after a fragment has failed.
     *
     * @throws AssertionError if none has
     */
    public DegradationAssert degrades() {
        return new DegradationAssert(it(), this);
    }

    private String target() {
        return it().asked().target();
    }

    private ClientLifetime clientLifetime() {
        var age = it().headers().first("Age");
        boolean isNumber = age != null && age.matches("[0-9]{1,9}");
        return ClientLifetime.of(
                it().headers(), Duration.ofSeconds(isNumber ? Long.parseLong(age) : 0));
    }

    private String saidToReader() {
        var lines = new ArrayList<String>();
        for (var name : List.of("Cache-Control", "Expires", "Age")) {
            it().headers().all(name).forEach(value -> lines.add(name + ": " + value));
        }
        return lines.isEmpty() ? "no Cache-Control" : String.join("\n", lines);
    }

    private List<String> fieldNames() {
        var names = new ArrayList<String>();
        it().headers().forEach((name, value) -> names.add(name));
        return names;
    }

    private String shortBody() {
        return it().html().isBlank() ? "" : ", " + Excerpt.of(it().html());
    }

    /** The parts whose own document contains {@code text}, escaped or not, if known. */
    static String broughtBy(Page page, String text) {
        var parts =
                page.trace().parts().orElse(List.of()).stream()
                        .map(part -> new Fragment(page, part))
                        .filter(part -> part.html().filter(html -> isIn(html, text)).isPresent())
                        .map(Fragment::toString)
                        .toList();
        return parts.isEmpty() ? "" : "\nin " + String.join(", ", parts);
    }

    private static boolean isIn(String html, String text) {
        return html.contains(text) || Parser.unescapeEntities(html, false).contains(text);
    }

    private static boolean asksForEsi(Fragment document) {
        return document.headers().all("Surrogate-Control").stream()
                .anyMatch(line -> line.contains("ESI/"));
    }

    private static String excerpt(byte[] bytes, int at) {
        int from = Math.max(0, at);
        int length = Math.min(80, bytes.length - from);
        return length <= 0
                ? "nothing"
                : Excerpt.of(Content.of(Arrays.copyOfRange(bytes, from, from + length)).text());
    }
}
