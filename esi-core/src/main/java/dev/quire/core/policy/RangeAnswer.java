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

/**
 * The answer to a range request from a body that is stored, or is being stored (RFC 9110 §14.2).
 */
public sealed interface RangeAnswer {
    /** More ranges cost the server more than the client. */
    int MAX_RANGES = 10;

    /** A Last-Modified this much before its Date is a strong validator (§8.8.2.2). */
    Duration STRONG_AFTER = Duration.ofSeconds(1);

    Whole WHOLE = new Whole();
    Unsatisfiable UNSATISFIABLE = new Unsatisfiable();

    /** The whole body, ignoring Range. */
    record Whole() implements RangeAnswer {}

    /** These parts, as 206, in the requested order; they do not overlap. */
    record Parts(List<ByteRange> ranges) implements RangeAnswer {
        public Parts {
            ranges = List.copyOf(ranges);
        }

        private boolean isAscending() {
            for (int i = 1; i < ranges.size(); i++) {
                if (ranges.get(i).first() < ranges.get(i - 1).first()) {
                    return false;
                }
            }
            return true;
        }
    }

    /** No range overlaps the body: 416. */
    record Unsatisfiable() implements RangeAnswer {}

    /** The validators of a response by which If-Range may find its body unchanged. */
    enum Validators {
        ALL,
        /**
         * Not the date: clients may have the body in another content coding, with the same date. In
         * only one of the codings the tag is strong.
         */
        TAG,
        /** None: they are those of another content coding. */
        NONE;

        /** Returns the validators of a body that others get in another coding, or that all get. */
        public static Validators of(boolean isInSeveralCodings) {
            return isInSeveralCodings ? TAG : ALL;
        }
    }

    /**
     * Returns the answer to {@code request}, whose other conditions have been evaluated (RFC 9110
     * §13.2.2). Only a 200 to a GET has parts. Range is ignored if it is malformed or in another
     * unit, if If-Range fails, or if it has too many or overlapping ranges.
     *
     * @param usable the validators that If-Range may name
     * @param lengthBytes of the stored body
     */
    static RangeAnswer of(
            RequestHead request, ResponseHead stored, Validators usable, long lengthBytes) {
        var fields = request.fields();
        if (!fields.contains("Range") || !request.isGet() || stored.status() != 200) {
            return WHOLE;
        }
        var named = RangeSet.of(fields);
        if (named.isEmpty()
                || named.get().ranges().size() > MAX_RANGES
                || !isUnchanged(fields, stored.fields(), usable)) {
            return WHOLE;
        }
        return among(named.get(), lengthBytes);
    }

    /**
     * Returns the answer to {@code request} from a response to the request without Range, of which
     * only the head has arrived. Several ranges have to be in the order of the body.
     *
     * @param usable the validators that If-Range may name
     * @param isStored whether the response is being stored
     * @return null if the origin should be asked for the range: the response is not stored, or its
     *     length is not known
     */
    static @Nullable RangeAnswer ofArriving(
            RequestHead request, ResponseHead arriving, Validators usable, boolean isStored) {
        long lengthBytes = Admission.announcedBytes(arriving.fields());
        boolean isKnown = lengthBytes != Admission.UNKNOWN;
        // Only whether there are parts matters if the length is unknown.
        var answer = of(request, arriving, usable, isKnown ? lengthBytes : Long.MAX_VALUE);
        return switch (answer) {
            case Whole whole -> whole;
            case Unsatisfiable none when isKnown -> none;
            case Parts parts when isStored && isKnown -> parts.isAscending() ? parts : WHOLE;
            default -> asksForOnePart(request) ? null : WHOLE;
        };
    }

    /**
     * Whether {@code request} has exactly one range, so that it may be forwarded: several cost the
     * origin more than the whole body. A weak tag in If-Range never matches, but some origins
     * compare it weakly.
     */
    static boolean asksForOnePart(RequestHead request) {
        return request.isGet()
                && request.fields().contains("Range")
                && ifRange(request.fields()).stream().noneMatch(each -> each.startsWith("W/"))
                && RangeSet.of(request.fields())
                        .filter(set -> set.ranges().size() == 1)
                        .isPresent();
    }

    /**
     * Whether {@code request} asks for a part by a date, which does not tell the content codings of
     * a body apart.
     */
    static boolean asksByDate(RequestHead request) {
        return ifRange(request.fields()).stream().anyMatch(each -> !isTag(each));
    }

    /**
     * Returns the head of the whole, as far as {@code part} tells: a 206 to If-Range may lack most
     * fields (RFC 9110 §15.3.7). If the media type is unknown, text is assumed.
     */
    static ResponseHead wholeOf(ResponseHead part) {
        var fields =
                part.fields()
                        .without(name ->
                                name.equalsIgnoreCase("Content-Range")
                                        || name.equalsIgnoreCase("Content-Length"));
        return new ResponseHead(
                200,
                part.reason(),
                fields.contains("Content-Type")
                        ? fields
                        : new Fields.Builder()
                                .addAll(fields)
                                .add("Content-Type", "text/plain")
                                .build());
    }

    private static List<String> ifRange(Fields request) {
        return request.all("If-Range").stream().map(String::strip).toList();
    }

    private static boolean isTag(String condition) {
        return condition.startsWith("\"") || condition.startsWith("W/");
    }

    private static RangeAnswer among(RangeSet named, long lengthBytes) {
        if (lengthBytes == 0) {
            // An empty range has no Content-Range.
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

    /** Whether If-Range is absent or matches the stored response strongly (RFC 9110 §13.1.5). */
    private static boolean isUnchanged(Fields request, Fields stored, Validators usable) {
        var conditions = ifRange(request);
        if (conditions.isEmpty()) {
            return true;
        }
        if (conditions.size() > 1) {
            return false;
        }
        var condition = conditions.getFirst();
        return isTag(condition)
                ? usable != Validators.NONE
                        && Conditions.matchStrongly(condition, stored.first("ETag"))
                : usable == Validators.ALL && isStrongDate(condition, stored);
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
