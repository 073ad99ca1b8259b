package dev.quire.test;

import dev.quire.core.policy.Tags;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jsoup.nodes.Entities;

/**
 * Traces as one document: for each page a table of its parts, each with a bar on the page's axis of
 * time. Without scripts, foreign hosts or anything unescaped; what colour says, text says too.
 */
final class TraceHtml {

    /** How many lines the axis has. */
    private static final int MARKS = 4;

    private static final String STYLE =
            """
            :root { color-scheme: light dark; --text: #1c2024; --soft: #60646c; --line: #d9d9e0;
              --ground: #ffffff; --hit: #2a7e4f; --stale: #946800; --revalidated: #0b68b5;
              --miss: #6550b9; --pass: #a83f8e; --failed: #c62a2f; }
            @media (prefers-color-scheme: dark) { :root { --text: #edeef0; --soft: #b0b4ba;
              --line: #3a3f46; --ground: #16181b; --hit: #4cc38a; --stale: #e2b33c;
              --revalidated: #70b8ff; --miss: #a899f5; --pass: #e796d3; --failed: #ff9592; } }
            * { box-sizing: border-box; }
            body { margin: 0 auto; max-width: 90rem; padding: 1.5rem; background: var(--ground);
              color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
            h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
            h2 { font-size: 1.1rem; margin: 2.25rem 0 .25rem; overflow-wrap: anywhere; }
            h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
            p { margin: .25rem 0; color: var(--soft); }
            .scroll { overflow-x: auto; }
            table { border-collapse: collapse; width: 100%; margin-top: .75rem; }
            th, td { text-align: left; vertical-align: middle; padding: .3rem .75rem .3rem 0;
              border-bottom: 1px solid var(--line); font-weight: normal; white-space: nowrap; }
            thead th { color: var(--soft); font-size: .85rem; }
            td.number { font-variant-numeric: tabular-nums; }
            td.wide { white-space: normal; min-width: 9rem; }
            .part { padding-left: calc(var(--level) * 1.4rem); font-family: ui-monospace, monospace;
              font-size: .9rem; }
            .way { font-weight: 600; }
            .time { width: 40%; min-width: 16rem; padding-right: 0; }
            td.time { background: repeating-linear-gradient(90deg, var(--line) 0 1px,
              transparent 1px 25%); }
            .axis { display: flex; justify-content: space-between; }
            .bar { height: .85rem; min-width: 3px; border-radius: 2px; background: var(--colour); }
            .way { color: var(--colour); }
            .hit { --colour: var(--hit); } .stale { --colour: var(--stale); }
            .revalidated { --colour: var(--revalidated); } .miss { --colour: var(--miss); }
            .pass { --colour: var(--pass); } .failed { --colour: var(--failed); }
            .failed .bar { background: repeating-linear-gradient(45deg, var(--colour) 0 4px,
              transparent 4px 7px); outline: 1px solid var(--colour); }
            .warning { color: var(--failed); }
            ul.key { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none;
              padding: 0; margin: .75rem 0 0; }
            ul.key b { color: var(--colour); }
            ul.requests { margin: .25rem 0; padding-left: 1.2rem; }
            code { font-family: ui-monospace, monospace; font-size: .9rem; }
            """;

    private static final String KEY =
            """
            <ul class="key" aria-label="Ways a part can come">
            <li class="hit"><b>hit</b> stored and fresh</li>
            <li class="stale"><b>stale</b> stored, past its time</li>
            <li class="revalidated"><b>revalidated</b> stored, confirmed by the application</li>
            <li class="miss"><b>miss</b> asked for, may be kept</li>
            <li class="pass"><b>pass</b> asked for, for this reader alone</li>
            <li class="failed"><b>failed</b> there is none</li>
            </ul>
            """;

    private final StringBuilder html = new StringBuilder();

    private TraceHtml() {}

    static String of(List<AssemblyTrace> traces) {
        return new TraceHtml().document(traces);
    }

    private String document(List<AssemblyTrace> traces) {
        var title =
                traces.size() == 1
                        ? "How " + traces.getFirst().asked().target() + " came about"
                        : "How " + traces.size() + " pages came about";
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        html.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.append("<title>").append(text(title)).append("</title>\n");
        html.append("<style>\n").append(STYLE).append("</style>\n</head>\n<body>\n");
        html.append("<h1>").append(text(title)).append("</h1>\n").append(KEY);
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
        html.append(number).append(". ").append(text(trace.asked().toString())).append("</h2>\n");
        html.append("<p>As ").append(text(trace.user().toString()));
        html.append(" got it, assembled by ").append(text(trace.by()));
        html.append(", at ").append(TraceText.at(trace.at())).append(" on the site's clock.</p>\n");
        trace.parts()
                .ifPresentOrElse(
                        parts -> parts(trace, parts),
                        () -> html.append("<p>What it is made of is not told.</p>\n"));
        requests(trace);
        TraceText.unusedFaults(trace)
                .ifPresent(unused ->
                        html.append("<p class=\"warning\">Faults that met no request: ")
                                .append(text(unused))
                                .append("</p>\n"));
        html.append("</section>\n");
    }

    private void parts(AssemblyTrace trace, List<Part> parts) {
        var end = TraceText.end(trace);
        html.append("<div class=\"scroll\">\n<table>\n<thead><tr>");
        for (var column : List.of("Part", "Came as", "Status", "Kept", "Tags")) {
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
        html.append("\" title=\"").append(attribute(place(part))).append("\">");
        html.append(text(part.target())).append("</th>");
        html.append("<td class=\"way\">").append(way).append("</td>");
        html.append("<td class=\"number\">").append(part.status() == 0 ? "-" : part.status());
        html.append("</td><td class=\"wide\">").append(text(TraceText.kept(trace, part)));
        html.append("</td><td class=\"wide\">").append(text(String.join(" ", tags)));
        html.append("</td><td class=\"time\" title=\"");
        html.append(attribute(part.target() + ": " + way + ", " + span)).append("\">");
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
            html.append("<li><code>").append(text(TraceText.requestLine(trace, request)));
            html.append("</code></li>\n");
        }
        html.append("</ul>\n");
    }

    private static String place(Part part) {
        return part.parent() == null
                ? "the page itself"
                : "level " + part.depth() + ", included by " + part.parent();
    }

    /** In milliseconds, so many digits that marks differ. */
    private static String mark(Duration time, Duration end) {
        return end.toMillis() >= 2 * MARKS
                ? String.valueOf(time.toMillis())
                : String.format(Locale.ROOT, "%.2f", time.toNanos() / 1e6);
    }

    private static String percent(Duration time, Duration end) {
        double percent = 100.0 * time.toNanos() / end.toNanos();
        return String.format(Locale.ROOT, "%.2f%%", Math.clamp(percent, 0, 100));
    }

    private static String text(String any) {
        return Entities.escape(any);
    }

    private static String attribute(String any) {
        return Entities.escape(any);
    }
}
