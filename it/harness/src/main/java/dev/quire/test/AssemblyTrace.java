package dev.quire.test;

import dev.quire.test.internal.Part;
import dev.quire.test.wire.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** How one page was assembled: its parts, and the requests to the application meanwhile. */
public final class AssemblyTrace {
    private final String by;
    private final User user;
    private final Faults faults;
    private final OpenSite.PageStart start;
    private final Request asked;
    private final Optional<List<Part>> parts;
    private final List<ApplicationRequest> requests;

    AssemblyTrace(
            String by,
            User user,
            Faults faults,
            OpenSite.PageStart start,
            Request asked,
            Optional<List<Part>> parts,
            List<ApplicationRequest> requests) {
        this.by = by;
        this.user = user;
        this.faults = faults;
        this.start = start;
        this.asked = asked;
        this.parts = parts.map(List::copyOf);
        this.requests = List.copyOf(requests);
    }

    String by() {
        return by;
    }

    User user() {
        return user;
    }

    /** The faults active meanwhile. */
    Faults faults() {
        return faults;
    }

    /** The time of the request, on the site's clock. */
    Instant at() {
        return start.at();
    }

    /** The time of the request, since the site was opened. */
    Duration begun() {
        return start.begun();
    }

    Request asked() {
        return asked;
    }

    /**
     * The page first, then its fragments in request order; empty if the assembler does not report
     * them.
     */
    Optional<List<Part>> parts() {
        return parts;
    }

    /**
     * All requests that reached the application, background refreshes included, in order of
     * arrival.
     */
    public List<ApplicationRequest> requests() {
        return requests;
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

    /** The traces of {@code pages} as one such document. */
    public static String html(List<Page> pages) {
        return TraceHtml.of(pages.stream().map(Page::trace).toList());
    }

    @Override
    public String toString() {
        return text();
    }
}
