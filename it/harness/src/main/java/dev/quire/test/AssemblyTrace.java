package dev.quire.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How one page was assembled: its parts, and the requests to the application meanwhile.
 *
 * @param by the assembler
 * @param user the user who requested it
 * @param faults the faults active meanwhile
 * @param at the time of the request, on the site's clock
 * @param begun the time of the request, since the site was opened
 * @param parts the page first, then its fragments in request order; empty if the assembler does not
 *     report them
 * @param requests all requests that reached the application, background refreshes included, in
 *     order of arrival
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
     * The trace as text: one line for each part, indented by its level, with a bar for its time
     * span, its remaining lifetime and its tags; then the requests that reached the application.
     */
    public String text() {
        return TraceText.of(this);
    }

    /** The trace as a self-contained HTML document: the parts on a time axis. Needs no scripts. */
    public String html() {
        return TraceHtml.of(List.of(this));
    }

    @Override
    public String toString() {
        return text();
    }
}
