package dev.quire.core.http;

import dev.quire.core.http.AcceptEncoding.Weighed;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * The media types that a client asks for by name (RFC 9110 §12.5.1). The range of all types names
 * none; a member with a malformed weight is ignored. Thread-safe.
 */
public final class AcceptedTypes {
    private final List<Weighed> ranges;

    private AcceptedTypes(List<Weighed> ranges) {
        this.ranges = ranges;
    }

    public static AcceptedTypes of(Fields request) {
        return new AcceptedTypes(
                FieldList.members(request.all("Accept")).stream()
                        .map(AcceptEncoding::member)
                        .filter(range -> range.weight() >= 0)
                        .toList());
    }

    /**
     * Returns the highest weight, in thousandths, of a type with one of the subtypes, which are in
     * lower case. Without any the weight of {@code TYPE/*}, else 0.
     */
    public int weight(String type, Predicate<String> subtype) {
        int named = highest(type, subtype);
        return named >= 0 ? named : Math.max(0, highest(type, "*"::equals));
    }

    private int highest(String type, Predicate<String> subtype) {
        int highest = -1;
        for (var range : ranges) {
            var name = range.coding().toLowerCase(Locale.ROOT);
            int slash = name.indexOf('/');
            if (slash == type.length()
                    && name.startsWith(type)
                    && subtype.test(name.substring(slash + 1))) {
                highest = Math.max(highest, range.weight());
            }
        }
        return highest;
    }
}
