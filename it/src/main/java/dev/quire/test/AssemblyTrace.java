package dev.quire.test;

import java.util.List;
import java.util.Optional;

/**
 * How one page came about: what it is made of, and what the application was asked for meanwhile.
 *
 * @param by who assembled it
 * @param parts the page first, then its fragments in the order they were asked for; empty where
 *     whoever assembled it does not tell
 * @param requests all that reached the application, refreshes in the background included, in the
 *     order they came
 */
public record AssemblyTrace(
        String by, Request asked, Optional<List<Part>> parts, List<ApplicationRequest> requests) {

    public AssemblyTrace {
        parts = parts.map(List::copyOf);
        requests = List.copyOf(requests);
    }

    /** As text: one line for each part, indented by its level. */
    public String text() {
        var text = new StringBuilder();
        for (var part : parts.orElse(List.of())) {
            text.append("  ".repeat(part.depth()))
                    .append(part.target())
                    .append(' ')
                    .append(part.outcome())
                    .append('\n');
        }
        for (var request : requests) {
            text.append(request).append('\n');
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return text();
    }
}
