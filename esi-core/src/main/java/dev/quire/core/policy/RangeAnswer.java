package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a request with Range is answered from a stored body (RFC 9110 §14.2). */
public sealed interface RangeAnswer {
    /** More than these are more work for us than for who asks. */
    int MAX_RANGES = 10;

    /** What a date must be older than its response to name one state of it only (§8.8.2.2). */
    Duration STRONG_AFTER = Duration.ofSeconds(1);

    Whole WHOLE = new Whole();
    Unsatisfiable UNSATISFIABLE = new Unsatisfiable();

    /** The whole body, as if there were no Range. */
    record Whole() implements RangeAnswer {}

    /** These parts, as 206, in the order asked for; they share no byte. */
    record Parts(List<ByteRange> ranges) implements RangeAnswer {
        public Parts {
            ranges = List.copyOf(ranges);
        }
    }

    /** Nothing of the body is in any range: 416. */
    record Unsatisfiable() implements RangeAnswer {}

    /**
     * What of {@code stored} answers {@code request}, whose other conditions have been judged
     * before (RFC 9110 §13.2.2). Only a 200 to a GET has parts. Range is ignored if it is malformed
     * or in another unit, if If-Range does not hold, and if it asks for more than {@link
     * #MAX_RANGES} parts or for some byte twice.
     *
     * @param lengthBytes of the stored body
     */
    static RangeAnswer of(RequestHead request, ResponseHead stored, long lengthBytes) {
        var fields = request.fields();
        if (!fields.contains("Range") || !request.isGet() || stored.status() != 200) {
            return WHOLE;
        }
        var named = RangeSet.of(fields);
        if (named.isEmpty()
                || named.get().ranges().size() > MAX_RANGES
                || !isUnchanged(fields, stored.fields())) {
            return WHOLE;
        }
        return among(named.get(), lengthBytes);
    }

    /**
     * Whether {@code request} names exactly one range, as an origin may be asked for: more of them
     * cost it more than the whole.
     */
    static boolean asksForOnePart(RequestHead request) {
        return request.isGet()
                && request.fields().contains("Range")
                && RangeSet.of(request.fields())
                        .filter(set -> set.ranges().size() == 1)
                        .isPresent();
    }

    private static RangeAnswer among(RangeSet named, long lengthBytes) {
        if (lengthBytes == 0) {
            // No Content-Range can say "nothing of nothing".
            boolean isAnyEnd =
                    named.ranges().stream()
                            .anyMatch(each ->
                                    each instanceof RangeSet.Named.Suffix(long length)
                                            && length > 0);
            return isAnyEnd ? WHOLE : UNSATISFIABLE;
        }
        var parts = new ArrayList<ByteRange>();
        for (var each : named.ranges()) {
            var part = each.within(lengthBytes);
            if (part != null) {
                if (parts.stream().anyMatch(part::overlaps)) {
                    return WHOLE;
                }
                parts.add(part);
            }
        }
        return parts.isEmpty() ? UNSATISFIABLE : new Parts(parts);
    }

    /** Whether If-Range, if there is one, names what is stored beyond doubt (RFC 9110 §13.1.5). */
    private static boolean isUnchanged(Fields request, Fields stored) {
        var conditions = request.all("If-Range");
        if (conditions.isEmpty()) {
            return true;
        }
        var condition = conditions.getFirst().strip();
        if (conditions.size() > 1) {
            return false;
        }
        if (condition.startsWith("\"") || condition.startsWith("W/")) {
            return Conditions.matchStrongly(condition, stored.first("ETag"));
        }
        return isStrongDate(condition, stored);
    }

    private static boolean isStrongDate(String condition, Fields stored) {
        var modified = date(stored.first("Last-Modified"));
        var sent = date(stored.first("Date"));
        return modified.isPresent()
                && sent.isPresent()
                && HttpDate.parse(condition).equals(modified)
                && !sent.get().isBefore(modified.get().plus(STRONG_AFTER));
    }

    private static Optional<Instant> date(@Nullable String text) {
        return text == null ? Optional.empty() : HttpDate.parse(text);
    }
}
