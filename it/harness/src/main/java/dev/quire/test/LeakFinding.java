package dev.quire.test;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Content that a shared cache would give to the wrong reader, found by a {@link LeakDetector}.
 *
 * @param target path and query of the fragment or page, or the name of the handler if it has no
 *     example
 * @param handler the handler that answered; empty if unknown
 * @param cause the likely cause
 * @param by the field, cookie or argument that causes it, or the kind of secret; empty if unknown
 * @param users the users whose requests show it, in the order of the detector's
 * @param place the first place, as a DOM path or a response field; empty for the complete response;
 *     without a response, the part of the test that requested it
 * @param more the number of other places with the same finding
 * @param sides the content at that place by user or request, shortened
 * @param kept the caching fields of the response
 */
public record LeakFinding(
        String target,
        Optional<FragmentHandler> handler,
        LeakCause cause,
        String by,
        List<String> users,
        String place,
        int more,
        Map<String, String> sides,
        String kept) {

    public LeakFinding {
        users = List.copyOf(users);
        sides = Collections.unmodifiableMap(new LinkedHashMap<>(sides));
    }

    /** One paragraph: the finding, its place, both sides, and the remedy. */
    public String text() {
        var text = new StringBuilder();
        text.append("leak[").append(cause).append("]: ").append(target).append(' ');
        text.append(cause.what());
        if (!by.isEmpty()) {
            text.append(": ").append(by);
        }
        text.append('\n');
        handler.ifPresent(
                known -> text.append("  --> %s (%s)\n".formatted(known.name(), known.handler())));
        if (!place.isEmpty()) {
            text.append("   at ").append(place);
            if (more > 0) {
                text.append(", and %d more place%s".formatted(more, more == 1 ? "" : "s"));
            }
            text.append('\n');
        }
        int width = sides.keySet().stream().mapToInt(String::length).max().orElse(0);
        var line = "      %-" + width + "s | %s\n";
        sides.forEach((who, shown) -> text.append(line.formatted(who, shown)));
        if (!kept.isEmpty()) {
            text.append("cache: ").append(kept).append('\n');
        }
        text.append("  fix: ").append(cause.remedy(selector()));
        return text.toString();
    }

    /** The selector for {@code ignoring}, or the handler name for an example. */
    private String selector() {
        if (cause == LeakCause.NOT_ASKED) {
            return handler.map(FragmentHandler::name).orElse(target);
        }
        int behind = place.indexOf(" (");
        return behind < 0 ? place : place.substring(0, behind);
    }

    @Override
    public String toString() {
        return text();
    }
}
