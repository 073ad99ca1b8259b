package dev.quire.proxy.path;

import dev.quire.proxy.reference.Lines;
import dev.quire.proxy.reference.Request;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A sequence of events in a cache. */
record History(List<Step> steps) {

    /** One event. */
    sealed interface Step {
        /**
         * A client sends a request; {@code reply} is the origin's response to any resulting fetch.
         */
        record Ask(Request request, Reply reply) implements Step {
            @Override
            public String toString() {
                return request + "\n        " + reply;
            }
        }

        record Wait(Duration time) implements Step {
            @Override
            public String toString() {
                return "wait " + time.toMillis() / 1000.0 + " s";
            }
        }

        /** The process ends, and another one begins with its directory. */
        record Restart() implements Step {
            @Override
            public String toString() {
                return "restart";
            }
        }

        record PurgeTarget(String target, boolean isSoft) implements Step {
            @Override
            public String toString() {
                return (isSoft ? "soft purge of " : "purge of ") + target;
            }
        }

        record PurgeTag(String tag, boolean isSoft) implements Step {
            @Override
            public String toString() {
                return (isSoft ? "soft purge of tag " : "purge of tag ") + tag;
            }
        }
    }

    /** The way a response is sent. */
    enum Fault {
        NONE,
        /** Its body breaks off. */
        CUT,
        /** The connection closes instead. */
        SILENT
    }

    /** The ETag of a 304. */
    enum Confirmed {
        SAME,
        NONE,
        WEAKENED,
        OTHER
    }

    /**
     * The responses of an origin: one to an unconditional request, and possibly a 304 to a
     * conditional one.
     *
     * @param fields with {@code {now+30}} for the date in 30 seconds, {@code {rfc850 now+30}} and
     *     {@code {asctime now+30}} for the same in other formats
     */
    record Reply(
            int status,
            Lines fields,
            Optional<NotModified> ifConditional,
            Duration after,
            Fault fault) {

        @Override
        public String toString() {
            return switch (fault) {
                case SILENT -> "-> no answer";
                case CUT -> "-> " + status + " [" + fields + "], cut";
                case NONE ->
                        "-> "
                                + status
                                + " ["
                                + fields
                                + "]"
                                + ifConditional.map(reply -> " or " + reply).orElse("")
                                + (after.isZero() ? "" : " after " + after.toSeconds() + " s");
            };
        }
    }

    /** A 304. */
    record NotModified(Confirmed tag, Lines fields) {
        @Override
        public String toString() {
            return "304 [" + fields + "] with tag " + tag;
        }
    }

    private static final Pattern MOMENT = Pattern.compile("\\{(?:(\\w+) )?now([+-]\\d+)}");

    /** {@code fields} as they are sent at {@code now}. */
    static Lines at(Instant now, Lines fields) {
        return new Lines(
                fields.lines().stream()
                        .map(line ->
                                new Lines.Line(
                                        line.name(),
                                        MOMENT.matcher(line.value())
                                                .replaceAll(found ->
                                                        date(
                                                                found.group(1),
                                                                now.plusSeconds(
                                                                        Long.parseLong(
                                                                                found.group(2)))))))
                        .toList());
    }

    private static String date(String format, Instant time) {
        var pattern =
                switch (format == null ? "fixdate" : format) {
                    case "fixdate" -> "EEE, dd MMM yyyy HH:mm:ss 'GMT'";
                    case "rfc850" -> "EEEE, dd-MMM-yy HH:mm:ss 'GMT'";
                    case "asctime" -> "EEE MMM ppd HH:mm:ss yyyy";
                    case "zoned" -> "EEE, dd MMM yyyy HH:mm:ss 'UTC'";
                    default -> throw new IllegalArgumentException("no such format: " + format);
                };
        return DateTimeFormatter.ofPattern(pattern, Locale.US)
                .withZone(ZoneOffset.UTC)
                .format(time);
    }

    @Override
    public String toString() {
        return steps.stream().map(step -> "\n    " + step).collect(Collectors.joining());
    }
}
