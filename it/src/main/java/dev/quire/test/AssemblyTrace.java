package dev.quire.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How one page came about: what it is made of, and what the application was asked for meanwhile.
 *
 * @param by who assembled it
 * @param user who asked for it
 * @param faults that the application's answers had meanwhile
 * @param at when that was, on the site's clock
 * @param begun when that was, since the site was opened
 * @param parts the page first, then its fragments in the order they were asked for; empty where
 *     whoever assembled it does not tell
 * @param requests all that reached the application, refreshes in the background included, in the
 *     order they came
 */
public record AssemblyTrace(
        String by,
        User user,
        Faults faults,
        Instant at,
        Duration begun,
        Request asked,
        Optional<List<Part>> parts,
        List<ApplicationRequest> requests) {

    public AssemblyTrace {
        parts = parts.map(List::copyOf);
        requests = List.copyOf(requests);
    }

    /**
     * As text: one line for each part, indented by its level, with a bar that shows when it was
     * under way, how long it is kept, and its tags; then the requests that reached the application.
     */
    public String text() {
        return TraceText.of(this);
    }

    /**
     * As a document that needs nothing beside it: the parts on an axis of time. Opens in any
     * browser, without scripts.
     */
    public String html() {
        return TraceHtml.of(List.of(this));
    }

    @Override
    public String toString() {
        return text();
    }
}
