package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The byte ranges of a request, in its order (RFC 9110 §14.1.2).
 *
 * @param ranges at least one
 */
record RangeSet(List<Named> ranges) {
    private static final String UNIT = "bytes=";

    RangeSet {
        ranges = List.copyOf(ranges);
    }

    /** One range, before the length of the body is known. */
    sealed interface Named {
        /** Returns the range in a body of {@code lengthBytes}; null if it is outside. */
        @Nullable ByteRange within(long lengthBytes);

        /** {@code first-last}, or {@code first-}. */
        record Positions(long first, long last) implements Named {
            @Override
            public @Nullable ByteRange within(long lengthBytes) {
                return first >= lengthBytes
                        ? null
                        : new ByteRange(first, Math.min(last, lengthBytes - 1));
            }
        }

        /** {@code -length}: the end of the body, all of it if it is shorter. */
        record Suffix(long length) implements Named {
            @Override
            public @Nullable ByteRange within(long lengthBytes) {
                return length == 0 || lengthBytes == 0
                        ? null
                        : new ByteRange(Math.max(0, lengthBytes - length), lengthBytes - 1);
            }
        }
    }

    /**
     * Parses {@code Range}; empty if it is absent or must be ignored: another unit, malformed
     * ranges, several lines.
     */
    static Optional<RangeSet> of(Fields request) {
        var lines = request.all("Range");
        if (lines.size() != 1) {
            return Optional.empty();
        }
        var value = lines.getFirst().strip();
        if (!value.regionMatches(true, 0, UNIT, 0, UNIT.length())) {
            return Optional.empty();
        }
        var ranges = new ArrayList<Named>();
        for (var text : FieldList.split(value.substring(UNIT.length()), ',')) {
            var range = range(text);
            if (range == null) {
                return Optional.empty();
            }
            ranges.add(range);
        }
        return ranges.isEmpty() ? Optional.empty() : Optional.of(new RangeSet(ranges));
    }

    private static @Nullable Named range(String text) {
        int dash = text.indexOf('-');
        if (dash < 0) {
            return null;
        }
        long first = FieldSyntax.number(text.substring(0, dash), Long.MAX_VALUE);
        long last = FieldSyntax.number(text.substring(dash + 1), Long.MAX_VALUE);
        if (dash == 0) {
            return last < 0 ? null : new Named.Suffix(last);
        }
        if (dash == text.length() - 1) {
            return first < 0 ? null : new Named.Positions(first, Long.MAX_VALUE);
        }
        return first < 0 || last < first ? null : new Named.Positions(first, last);
    }
}
