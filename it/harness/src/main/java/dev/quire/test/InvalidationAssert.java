package dev.quire.test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Assertions about the refetches after an invalidation. Each requests the pages twice to fill the
 * cache; requests that reach the application the second time are for responses that are never
 * stored, and are ignored. Then it invalidates, requests the pages again, and compares the requests
 * to the application.
 */
public final class InvalidationAssert extends Claim<InvalidationAssert, EsiSite> {
    private final String done;
    private final List<String> tags;
    private final Consumer<EsiSite> drop;
    private List<String> named = List.of();

    InvalidationAssert(EsiSite actual, String done, List<String> tags, Consumer<EsiSite> drop) {
        super(actual, InvalidationAssert.class);
        this.done = done;
        this.tags = tags;
        this.drop = drop;
    }

    /** Checks these pages, as this site's user sees them; by default all requested so far. */
    public InvalidationAssert onPage(String... pathsOrNames) {
        named = List.of(pathsOrNames);
        return this;
    }

    /** Each of these is refetched once, and nothing else is. */
    public InvalidationAssert refetchesOnly(String... pathsOrNames) {
        var expected = Arrays.stream(pathsOrNames).map(it()::targetOf).toList();
        var pages = pages();
        ask(pages);
        var usual = SiteAssert.requested(ask(pages));
        drop.accept(it());
        var after = ask(pages);
        var anew = Targets.beyond(usual, SiteAssert.requested(after));
        var missing = Targets.missing(expected, anew);
        var beyond = Targets.beyond(expected, anew);
        return require(
                missing.isEmpty() && beyond.isEmpty(),
                "%s to refetch %s"
                        .formatted(
                                done,
                                expected.isEmpty()
                                        ? "nothing"
                                        : Targets.listed(expected) + " only"),
                Targets.listed(expected),
                Targets.listed(anew) + explained(missing, beyond, usual, after),
                after.size() == 1 ? after.getFirst().trace() : null,
                "checked on %s; an invalidation reaches the responses with its tag, see the column 'tags'. docs/testing.md#invalidation"
                        .formatted(
                                Targets.listed(
                                        after.stream()
                                                .map(page -> page.asked().target())
                                                .toList())));
    }

    public InvalidationAssert refetchesNothing() {
        return refetchesOnly();
    }

    /** One line for each difference, with the tags that explain it. */
    private String explained(
            List<String> missing, List<String> beyond, List<String> usual, List<Page> pages) {
        var lines = new StringBuilder();
        for (var target : missing) {
            lines.append("\nmissing: ").append(target).append(", ");
            if (usual.stream().anyMatch(each -> Targets.isMeant(target, each))) {
                lines.append("which is never stored, so it is always fetched");
            } else if (fragments(pages, target).isEmpty()) {
                lines.append("which is not part of these pages");
            } else {
                lines.append("which ").append(bears(fragments(pages, target)));
            }
        }
        for (var target : new LinkedHashSet<>(beyond)) {
            lines.append("\nunexpected: ").append(target).append(", which ");
            lines.append(bears(fragments(pages, target)));
        }
        return lines.toString();
    }

    private String bears(List<Fragment> fragments) {
        var borne = fragments.stream().flatMap(each -> each.tags().stream()).distinct().toList();
        var text = borne.isEmpty() ? "has no tags" : "has the tags " + String.join(", ", borne);
        if (tags.isEmpty()) {
            return text;
        }
        return tags.stream().anyMatch(borne::contains)
                ? text + ", so the invalidation reaches it"
                : text + ", so the invalidation does not reach it";
    }

    private static List<Fragment> fragments(List<Page> pages, String target) {
        var found = new ArrayList<Fragment>();
        for (var page : pages) {
            for (var part : page.trace().parts().orElse(List.of())) {
                if (Targets.isMeant(target, part.target())) {
                    found.add(new Fragment(page, part));
                }
            }
        }
        return found;
    }

    private List<Supplier<Page>> pages() {
        var pages = new ArrayList<Supplier<Page>>();
        for (var name : named) {
            pages.add(() -> it().get(name));
        }
        if (named.isEmpty()) {
            for (var page : SiteAssert.asked(it())) {
                pages.add(() -> page.site().with(Faults.none()).get(page.asked().target()));
            }
        }
        if (pages.isEmpty()) {
            throw new AssertionError(
                    "nothing is stored that %s could remove: no page was requested (request one before this line: site.get(\"/home\"), or name it: .onPage(\"/home\"))"
                            .formatted(done));
        }
        return pages;
    }

    private static List<Page> ask(List<Supplier<Page>> pages) {
        return pages.stream().map(Supplier::get).toList();
    }
}
