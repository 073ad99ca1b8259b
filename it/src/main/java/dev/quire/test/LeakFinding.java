package dev.quire.test;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Something that a shared cache would give to the wrong reader, found by a {@link LeakDetector}.
 *
 * @param target path and query of the fragment or page; the name of its handler if nobody knows how
 *     to ask for it
 * @param handler that answered; empty where it is not known
 * @param cause the likely one
 * @param by the field, cookie or argument that does it, or what kind of secret it is; empty if
 *     there is no more to say
 * @param users whose requests show it, in the order of the detector's
 * @param place where it stands first, as a path through the DOM or as a field of the response;
 *     empty for the whole response; where there is no answer, what of the test asks for it
 * @param more in how many further places the same was found
 * @param sides what stands there, by who asked or how, shortened
 * @param kept how the response says that it may be kept
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

    /** One paragraph: what was found, where, what either side shows, and what to do. */
    public String text() {
        var text = new StringBuilder();
        text.append("leak[").append(cause).append("]: ").append(target).append(' ');
        text.append(cause.what());
        if (!by.isEmpty()) {
            text.append(": ").append(by);
        }
        text.append('\n');
        handler.ifPresent(known ->
                text.append("  --> ")
                        .append(known.name())
                        .append(" (")
                        .append(known.handler())
                        .append(")\n"));
        if (!place.isEmpty()) {
            text.append("   at ").append(place);
            if (more > 0) {
                text.append(", and ")
                        .append(more)
                        .append(more == 1 ? " more place" : " more places");
            }
            text.append('\n');
        }
        int width = sides.keySet().stream().mapToInt(String::length).max().orElse(0);
        sides.forEach((who, shown) ->
                text.append("      ")
                        .append(who)
                        .append(" ".repeat(width - who.length()))
                        .append(" | ")
                        .append(shown)
                        .append('\n'));
        if (!kept.isEmpty()) {
            text.append("cache: ").append(kept).append('\n');
        }
        text.append("  fix: ").append(cause.remedy(selector()));
        return text.toString();
    }

    /** What {@code ignoring} takes, or what examples are given by. */
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
