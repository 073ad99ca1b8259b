package dev.quire.test;

import dev.quire.core.http.Stamp;
import dev.quire.test.wire.internal.Excerpt;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds markup and fields between surrogate and application that have reached a reader. */
final class Leftovers {
    /**
     * Only names of ESI variables are matched after {@code $(}: other languages use the same
     * syntax.
     */
    private static final Pattern MARKUP =
            Pattern.compile(
                    "</?esi:[^>]*>?|<!--esi|\\$\\((HTTP_|QUERY_STRING|REQUEST_|ESI_ARGS)[^)]*\\)?");

    private static final Pattern STAMP =
            Pattern.compile(Pattern.quote(Stamp.CAPABILITY) + "([A-Za-z0-9_-]+)");

    private static final int SHOWN_BEFORE = 40;
    private static final int SHOWN_BEHIND = 100;

    private Leftovers() {}

    /** One line for each, with its place; empty if there are none. */
    static List<String> of(Page page) {
        var found = new ArrayList<String>();
        var html = page.html();
        var markup = MARKUP.matcher(html);
        if (markup.find()) {
            var place = Excerpt.near(html, markup.start(), SHOWN_BEFORE, SHOWN_BEHIND);
            found.add("the tag %s in %s".formatted(Excerpt.of(markup.group()), place));
        }
        for (var stamp : stamps(page)) {
            int at = html.indexOf(stamp);
            if (at >= 0) {
                found.add("a stamp in " + Excerpt.near(html, at, SHOWN_BEFORE, SHOWN_BEHIND));
            }
            page.headers()
                    .forEach((name, value) -> {
                        if (value.contains(stamp)) {
                            found.add("a stamp in the field " + name + ": " + value);
                        }
                    });
        }
        page.headers()
                .forEach((name, value) -> {
                    if (name.toLowerCase(Locale.ROOT).startsWith("surrogate-")) {
                        found.add("the field " + name + ": " + value);
                    }
                });
        return found;
    }

    private static Set<String> stamps(Page page) {
        var stamps = new LinkedHashSet<String>();
        for (var request : page.trace().requests()) {
            for (var line : request.request().fields().all("Surrogate-Capability")) {
                STAMP.matcher(line).results().forEach(found -> stamps.add(found.group(1)));
            }
        }
        return stamps;
    }
}
