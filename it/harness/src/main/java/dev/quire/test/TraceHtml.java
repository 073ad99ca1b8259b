package dev.quire.test;

import static org.jsoup.nodes.Entities.escape;

import dev.quire.core.policy.Tags;
import dev.quire.test.internal.Part;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Renders traces as one document: for each page a table of its parts, each with a bar on the page's
 * time axis. Without scripts, external hosts or unescaped text; colour is never the only
 * indication.
 */
final class TraceHtml {

    private static final int MARKS = 4;

    private static final String STYLE = resource("trace.css");
    private static final String KEY = resource("trace-key.html");

    private final StringBuilder html = new StringBuilder();

    private TraceHtml() {}

    private static String resource(String name) {
        try (var file = TraceHtml.class.getResourceAsStream(name)) {
            return new String(
                    Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }

    static String of(List<AssemblyTrace> traces) {
        return new TraceHtml().document(traces);
    }

    private String document(List<AssemblyTrace> traces) {
        var title =
                traces.size() == 1
                        ? "Trace of " + traces.getFirst().asked().target()
                        : "Traces of " + traces.size() + " pages";
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        html.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.append("<title>").append(escape(title)).append("</title>\n");
        html.append("<style>\n").append(STYLE).append("</style>\n</head>\n<body>\n");
        html.append("<h1>").append(escape(title)).append("</h1>\n").append(KEY);
        int number = 0;
        for (var trace : traces) {
            number++;
            page(trace, number);
        }
        return html.append("</body>\n</html>\n").toString();
    }

    private void page(AssemblyTrace trace, int number) {
        var id = "page-" + number;
        html.append("<section aria-labelledby=\"").append(id).append("\">\n");
        html.append("<h2 id=\"").append(id).append("\">");
        html.append(number).append(". ").append(escape(trace.asked().toString())).append("</h2>\n");
        html.append("<p>As received by ").append(escape(trace.user().toString()));
        html.append(", assembled by ").append(escape(trace.by()));
        html.append(", at ").append(TraceText.at(trace.at())).append(" on the site's clock.</p>\n");
        trace.parts()
                .ifPresentOrElse(
                        parts -> parts(trace, parts),
                        () -> html.append("<p>Its parts are unknown.</p>\n"));
        requests(trace);
        TraceText.unusedFaults(trace)
                .ifPresent(unused ->
                        html.append("<p class=\"warning\">Faults that matched no request: ")
                                .append(escape(unused))
                                .append("</p>\n"));
        html.append("</section>\n");
    }

    private void parts(AssemblyTrace trace, List<Part> parts) {
        var end = TraceText.end(trace);
        html.append("<div class=\"scroll\">\n<table>\n<thead><tr>");
        for (var column : List.of("Part", "Outcome", "Status", "Stored", "Tags")) {
            html.append("<th scope=\"col\">").append(column).append("</th>");
        }
        html.append("<th scope=\"col\" class=\"time\"><span class=\"axis\">");
        for (int i = 0; i <= MARKS; i++) {
            html.append("<span>").append(mark(end.multipliedBy(i).dividedBy(MARKS), end));
            html.append(i == MARKS ? " ms</span>" : "</span>");
        }
        html.append("</span></th></tr></thead>\n<tbody>\n");
        parts.forEach(part -> row(trace, part, end));
        html.append("</tbody>\n</table>\n</div>\n");
    }

    private void row(AssemblyTrace trace, Part part, Duration end) {
        var way = part.outcome().name().toLowerCase(Locale.ROOT);
        var tags = Tags.of(part.fields());
        var span = TraceText.millis(part.from(), part.to()) + " ms";
        html.append("<tr class=\"").append(way).append("\">");
        html.append("<th scope=\"row\" class=\"part\" style=\"--level:").append(part.depth());
        html.append("\" title=\"").append(escape(place(part))).append("\">");
        html.append(escape(part.target())).append("</th>");
        html.append("<td class=\"way\">").append(way).append("</td>");
        html.append("<td class=\"number\">").append(part.status() == 0 ? "-" : part.status());
        html.append("</td><td class=\"wide\">").append(escape(TraceText.kept(trace, part)));
        html.append("</td><td class=\"wide\">").append(escape(String.join(" ", tags)));
        html.append("</td><td class=\"time\" title=\"");
        html.append(escape(part.target() + ": " + way + ", " + span)).append("\">");
        html.append("<div class=\"bar\" role=\"img\" aria-label=\"").append(span);
        html.append("\" style=\"margin-left:").append(percent(part.from(), end));
        html.append(";width:").append(percent(part.to().minus(part.from()), end));
        html.append("\"></div></td></tr>\n");
    }

    private void requests(AssemblyTrace trace) {
        html.append("<h3>Requests that reached the application</h3>\n");
        if (trace.requests().isEmpty()) {
            html.append("<p>None.</p>\n");
            return;
        }
        html.append("<ul class=\"requests\">\n");
        for (var request : trace.requests()) {
            html.append("<li><code>").append(escape(TraceText.requestLine(trace, request)));
            html.append("</code></li>\n");
        }
        html.append("</ul>\n");
    }

    private static String place(Part part) {
        return part.parent() == null
                ? "the page itself"
                : "level " + part.depth() + ", included by " + part.parent();
    }

    /** The time in milliseconds, with enough digits to tell the marks apart. */
    private static String mark(Duration time, Duration end) {
        return end.toMillis() >= 2 * MARKS
                ? String.valueOf(time.toMillis())
                : String.format(Locale.ROOT, "%.2f", time.toNanos() / 1e6);
    }

    private static String percent(Duration time, Duration end) {
        double percent = 100.0 * time.toNanos() / end.toNanos();
        return String.format(Locale.ROOT, "%.2f%%", Math.clamp(percent, 0, 100));
    }
}
