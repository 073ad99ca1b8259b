package dev.quire.test;

import dev.quire.core.policy.Tags;
import dev.quire.test.internal.Part;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Renders a trace as text for a console: columns, and bars in ASCII. */
final class TraceText {
    private static final int BAR_COLUMNS = 24;

    private static final int MOST_REQUESTS = 20;

    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private TraceText() {}

    static String of(AssemblyTrace trace) {
        var text = new StringBuilder();
        text.append(title(trace)).append('\n');
        trace.parts()
                .ifPresentOrElse(
                        parts -> text.append(table(trace, parts)),
                        () ->
                                text.append("  (")
                                        .append(trace.by())
                                        .append(" does not report its parts)\n"));
        text.append("requests that reached the application:");
        if (trace.requests().isEmpty()) {
            text.append(" none");
        }
        text.append('\n');
        for (var request : trace.requests().stream().limit(MOST_REQUESTS).toList()) {
            text.append("  ").append(requestLine(trace, request)).append('\n');
        }
        if (trace.requests().size() > MOST_REQUESTS) {
            int more = trace.requests().size() - MOST_REQUESTS;
            text.append("  and ").append(more).append(" more\n");
        }
        unusedFaults(trace)
                .ifPresent(unused ->
                        text.append("faults that matched no request: ")
                                .append(unused)
                                .append('\n'));
        return text.toString();
    }

    static String title(AssemblyTrace trace) {
        return "%s as received by %s, assembled by %s, at %s on the site's clock"
                .formatted(trace.asked().target(), trace.user(), trace.by(), at(trace.at()));
    }

    static String at(Instant time) {
        return CLOCK.format(time);
    }

    static Optional<String> unusedFaults(AssemblyTrace trace) {
        var unused = trace.faults().unused();
        return unused.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", unused));
    }

    static String requestLine(AssemblyTrace trace, ApplicationRequest request) {
        return "%s -> %s, %s ms"
                .formatted(
                        request.request(),
                        replied(request.reply()),
                        millis(
                                request.from().minus(trace.begun()),
                                request.to().minus(trace.begun())));
    }

    static String replied(Reply reply) {
        return switch (reply) {
            case Reply.Whole(var response) -> String.valueOf(response.status());
            case Reply.Cut(var response, var bytes) ->
                    response.status() + ", broken off after " + bytes + " bytes";
            case Reply.None(var why) -> "no answer (" + why + ")";
        };
    }

    /** Its remaining lifetime, or why it is not stored. */
    static String kept(AssemblyTrace trace, Part part) {
        var error = part.error();
        if (error != null) {
            return error;
        }
        if (part.freshness().isPresent()) {
            var freshness = part.freshness().get();
            if (freshness.validateAlways()) {
                return "revalidated each time";
            }
            var left = freshness.remainingAt(trace.at());
            var lifetime = TextDuration.text(freshness.lifetime());
            return left.isNegative() || left.isZero()
                    ? "stale since " + TextDuration.text(left.negated()) + " (of " + lifetime + ")"
                    : TextDuration.text(left) + " of " + lifetime + " left";
        }
        var terms = Terms.of(part, trace);
        return terms.freshness()
                .map(freshness -> "cacheable for " + TextDuration.text(freshness.lifetime()))
                .or(() -> terms.refusal().map(reason -> "not stored: " + reason.label()))
                .orElseThrow();
    }

    static String millis(Duration from, Duration to) {
        return from.toMillis() + "-" + to.toMillis();
    }

    /**
     * When the reader had the page, without background refreshes. If parts are not reported, the
     * requests to the application count.
     */
    static Duration waited(AssemblyTrace trace) {
        return trace.parts().isEmpty()
                ? end(trace)
                : trace.parts().get().stream()
                        .map(Part::to)
                        .max(Duration::compareTo)
                        .orElse(Duration.ZERO);
    }

    /** When the last part was complete, since the request of the page; never zero. */
    static Duration end(AssemblyTrace trace) {
        var end = Duration.ofNanos(1);
        for (var part : trace.parts().orElse(List.of())) {
            end = later(end, part.to());
        }
        for (var request : trace.requests()) {
            end = later(end, request.to().minus(trace.begun()));
        }
        return end;
    }

    private static Duration later(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private static String table(AssemblyTrace trace, List<Part> parts) {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("part", "outcome", "status", "ms", "", "stored", "tags"));
        var end = end(trace);
        for (var part : parts) {
            rows.add(
                    List.of(
                            "  ".repeat(part.depth()) + part.target(),
                            part.outcome().name().toLowerCase(Locale.ROOT),
                            part.status() == 0 ? "-" : String.valueOf(part.status()),
                            millis(part.from(), part.to()),
                            bar(part, end),
                            kept(trace, part),
                            String.join(" ", Tags.of(part.fields()))));
        }
        return columns(rows);
    }

    private static String bar(Part part, Duration end) {
        int from = Math.min(column(part.from(), end), BAR_COLUMNS - 1);
        int to = Math.max(from + 1, column(part.to(), end));
        var bar = (part.from().equals(part.to()) ? "." : "=").repeat(to - from);
        return "|%s%s%s|".formatted(" ".repeat(from), bar, " ".repeat(BAR_COLUMNS - to));
    }

    private static int column(Duration time, Duration end) {
        long column = Math.round((double) BAR_COLUMNS * time.toNanos() / end.toNanos());
        return Math.clamp(column, 0, BAR_COLUMNS);
    }

    private static String columns(List<List<String>> rows) {
        int count = rows.getFirst().size();
        var widths = new int[count];
        for (var row : rows) {
            for (int i = 0; i < count; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        var text = new StringBuilder();
        for (var row : rows) {
            var line = new StringBuilder();
            for (int i = 0; i < count; i++) {
                line.append("  ").append(row.get(i));
                line.append(" ".repeat(widths[i] - row.get(i).length()));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
