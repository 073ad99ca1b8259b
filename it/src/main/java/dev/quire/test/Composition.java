package dev.quire.test;

import dev.quire.core.assemble.Assembly.Way;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.SurrogateControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a page is made of what its author put into it: held against the documents as the
 * application sent them, not against what whoever assembled them says. What depends on the request,
 * or is written otherwise than byte by byte, is left out of account.
 */
final class Composition {

    /** Less of a fragment than this could stand anywhere. */
    private static final int TELLING_CHARACTERS = 4;

    private static final String DEVICE = Settings.DEFAULT.deviceToken();

    private final Page page;
    private final List<Part> parts;
    private final List<Fault> faults = new ArrayList<>();

    /** What is wrong with the fragment at {@code target}: one sentence. */
    record Fault(String target, String what) {
        @Override
        public String toString() {
            return target + " " + what;
        }
    }

    private Composition(Page page) {
        this.page = page;
        this.parts = page.parts();
    }

    /** What is wrong, one sentence each; empty if nothing is. */
    static List<Fault> faults(Page page) {
        var composition = new Composition(page);
        for (var part : composition.parts) {
            composition.checkFailed(part);
            composition.checkIncluded(part);
        }
        return composition.faults;
    }

    /** The fragments that failed and for which their author has provided nothing. */
    private void checkFailed(Part part) {
        if (part.outcome() != Way.FAILED || part.depth() == 0) {
            return;
        }
        if (!isProvidedFor(page, part) && isParentKnown(part)) {
            faults.add(
                    new Fault(
                            part.target(),
                            "is missing: %s, and its include has neither alt nor onerror nor a try around it"
                                    .formatted(
                                            Objects.requireNonNullElse(
                                                    part.error(), "it failed"))));
        }
    }

    /** Whether the document that includes {@code part} is known, so that it can be looked at. */
    private boolean isParentKnown(Part part) {
        return parts.stream()
                .noneMatch(
                        parent -> parent.target().equals(part.parent()) && parent.body() == null);
    }

    /** The includes that every request asks for: they were asked for, and stand in their order. */
    private void checkIncluded(Part parent) {
        boolean isWhole = page.asked().method().equals("GET") && page.status() / 100 == 2;
        boolean isDocument =
                hasChildren(parent) || SurrogateControl.of(parent.fields(), DEVICE).asksForEsi();
        if (!isWhole || !isDocument || parent.outcome() == Way.FAILED) {
            return;
        }
        var html = page.html();
        int behind = 0;
        @Nullable String before = null;
        var includes = Includes.of(parent);
        for (var include : includes) {
            if (include.target().isEmpty()) {
                continue;
            }
            var target = include.target().get();
            var part = child(parent, target);
            if (!include.isCertain() && (part == null || !showsWhere(include, includes, part))) {
                continue;
            }
            if (part == null) {
                faults.add(
                        new Fault(
                                target,
                                "was never requested, although %s includes it"
                                        .formatted(parent.target())));
                continue;
            }
            var shown = include.isPlain() ? text(part) : "";
            if (shown.length() < TELLING_CHARACTERS) {
                continue;
            }
            int at = html.indexOf(shown, behind);
            if (at >= 0) {
                behind = at + shown.length();
                before = target;
            } else if (html.contains(shown) && before != null) {
                faults.add(
                        new Fault(
                                target,
                                "appears before %s, although %s includes it after that"
                                        .formatted(before, parent.target())));
            } else {
                faults.add(
                        new Fault(
                                target,
                                "is not in the place where %s includes it: %s"
                                        .formatted(parent.target(), Excerpt.of(shown))));
            }
        }
    }

    /** Whether what need not be in the page is there, and can only be what this include brings. */
    private boolean showsWhere(Includes.Include include, List<Includes.Include> all, Part brought) {
        var shown = text(brought);
        int at = shown.isEmpty() ? -1 : page.html().indexOf(shown);
        return include.isInPlace()
                && all.stream().filter(each -> each.target().equals(include.target())).count() == 1
                && at >= 0
                && page.html().indexOf(shown, at + 1) < 0;
    }

    /** Whether the author of a fragment that failed said what is to happen then. */
    static boolean isProvidedFor(Page page, Part failed) {
        return includesOf(page, failed).stream().anyMatch(Includes.Include::isProvidedFor);
    }

    /** The includes that {@code part} was asked for by, as far as that can be told. */
    static List<Includes.Include> includesOf(Page page, Part part) {
        return page.parts().stream()
                .filter(parent -> parent.target().equals(part.parent()))
                .flatMap(parent -> Includes.of(parent).stream())
                .filter(include -> include.target().equals(Optional.of(part.target())))
                .distinct()
                .toList();
    }

    private boolean hasChildren(Part parent) {
        return parts.stream().anyMatch(part -> parent.target().equals(part.parent()));
    }

    private @Nullable Part child(Part parent, String target) {
        return parts.stream()
                .filter(part ->
                        part.target().equals(target) && parent.target().equals(part.parent()))
                .findFirst()
                .orElse(null);
    }

    /** What must stand in the page; empty if that cannot be told from the fragment's own text. */
    private static String text(Part part) {
        var body = part.body();
        if (body == null || part.outcome() == Way.FAILED) {
            return "";
        }
        var text = body.text().strip();
        boolean isDocument =
                text.contains("<esi:") || text.contains("<!--esi") || text.contains("$");
        return isDocument ? "" : text;
    }
}
