package dev.quire.test;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.SurrogateControl;
import dev.quire.test.internal.Part;
import dev.quire.test.wire.internal.Excerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks a page against the documents that the application sent, not against the trace of the
 * assembler. Includes that depend on the request, or are not inserted byte by byte, are ignored.
 */
final class Composition {

    /** Fragments with fewer characters could occur anywhere and are ignored. */
    private static final int TELLING_CHARACTERS = 4;

    private static final String DEVICE = Settings.DEFAULT.deviceToken();

    private final Page page;
    private final List<Part> parts;
    private final List<Fault> faults = new ArrayList<>();

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

    static List<Fault> faults(Page page) {
        var composition = new Composition(page);
        for (var part : composition.parts) {
            composition.checkFailed(part);
            composition.checkIncluded(part);
        }
        return composition.faults;
    }

    private void checkFailed(Part part) {
        if (part.outcome() != CacheOutcome.FAILED || part.depth() == 0) {
            return;
        }
        if (!isProvidedFor(page, part) && isParentKnown(part)) {
            add(
                    part.target(),
                    "is missing: "
                            + Objects.requireNonNullElse(part.error(), "it failed")
                            + ", and its include has neither alt nor onerror nor a try around it");
        }
    }

    private void add(String target, String what) {
        faults.add(new Fault(target, what));
    }

    private boolean isParentKnown(Part part) {
        return parts.stream()
                .noneMatch(
                        parent -> parent.target().equals(part.parent()) && parent.body() == null);
    }

    /**
     * Reports unconditional includes that were not requested, or whose content is not in the order
     * of the includes.
     */
    private void checkIncluded(Part parent) {
        boolean isWhole = page.asked().method().equals("GET") && page.status() / 100 == 2;
        boolean isDocument =
                hasChildren(parent) || SurrogateControl.of(parent.fields(), DEVICE).asksForEsi();
        if (!isWhole || !isDocument || parent.outcome() == CacheOutcome.FAILED) {
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
                add(target, "was never requested, although " + parent.target() + " includes it");
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
                add(
                        target,
                        "appears before %s, although %s includes it after that"
                                .formatted(before, parent.target()));
            } else {
                add(
                        target,
                        "is not in the place where %s includes it: %s"
                                .formatted(parent.target(), Excerpt.of(shown)));
            }
        }
    }

    /**
     * Whether the content of a conditional include is in the page, and can only come from this
     * include.
     */
    private boolean showsWhere(Includes.Include include, List<Includes.Include> all, Part brought) {
        var shown = text(brought);
        int at = shown.isEmpty() ? -1 : page.html().indexOf(shown);
        return include.isInPlace()
                && all.stream().filter(each -> each.target().equals(include.target())).count() == 1
                && at >= 0
                && page.html().indexOf(shown, at + 1) < 0;
    }

    /** Whether the author of a failed fragment provided a fallback. */
    static boolean isProvidedFor(Page page, Part failed) {
        return includesOf(page, failed).stream().anyMatch(Includes.Include::isProvidedFor);
    }

    /** The includes that requested {@code part}, if known. */
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

    /**
     * The text that must be in the page; empty if the fragment's document does not determine it.
     */
    private String text(Part part) {
        var body = part.body();
        if (body == null || part.outcome() == CacheOutcome.FAILED) {
            return "";
        }
        var text = page.text(body).strip();
        boolean isDocument =
                text.contains("<esi:") || text.contains("<!--esi") || text.contains("$");
        return isDocument ? "" : text;
    }
}
