package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.Stamp;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The capabilities that surrogates between client and Quire announce (Edge Architecture 1.0 §2.1):
 * {@code token="Surrogate/1.0 ESI/1.0"}, one member for each. Parsed leniently: quotes may be
 * missing, and the field may be called {@code Surrogate-Capabilities}, as some surrogates send it.
 */
public final class SurrogateCapability {
    /** The name of the field. */
    public static final String FIELD = "Surrogate-Capability";

    private static final List<String> NAMES = List.of(FIELD, "Surrogate-Capabilities");

    private SurrogateCapability() {}

    /** Whether one of them assembles ESI 1.0 pages. */
    public static boolean announcesEsi(Fields request) {
        for (var name : NAMES) {
            for (var member : FieldList.members(request.all(name))) {
                if (capabilities(member).contains("ESI/1.0")) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the stamp of the last surrogate with a valid one: the one nearest to the origin. */
    public static Optional<Stamp> stamp(Fields request) {
        Optional<Stamp> last = Optional.empty();
        for (var name : NAMES) {
            for (var member : FieldList.members(request.all(name))) {
                for (var capability : capabilities(member)) {
                    if (capability.startsWith(Stamp.CAPABILITY)) {
                        var text = capability.substring(Stamp.CAPABILITY.length());
                        last = Stamp.isStamp(text) ? Optional.of(new Stamp(text)) : last;
                    }
                }
            }
        }
        return last;
    }

    /**
     * Returns the members in {@code request} without stamps, as they are forwarded; may be empty.
     */
    public static String forwarded(Fields request) {
        var lines = request.all(FIELD);
        return lines.isEmpty() ? "" : withoutStamps(lines);
    }

    private static String withoutStamps(List<String> values) {
        return FieldList.members(values).stream()
                .map(SurrogateCapability::withoutStamp)
                .filter(member -> !member.isEmpty())
                .collect(Collectors.joining(", "));
    }

    private static String withoutStamp(String member) {
        if (!member.contains(Stamp.CAPABILITY)) {
            return member;
        }
        int equals = member.indexOf('=');
        if (equals < 0) {
            return "";
        }
        return capabilities(member).stream()
                .filter(capability -> !capability.startsWith(Stamp.CAPABILITY))
                .collect(Collectors.joining(" ", member.substring(0, equals) + "=\"", "\""));
    }

    private static List<String> capabilities(String member) {
        int equals = member.indexOf('=');
        if (equals < 0) {
            return List.of();
        }
        var value = member.substring(equals + 1).strip();
        boolean isQuoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return FieldList.split(isQuoted ? value.substring(1, value.length() - 1) : value, ' ');
    }
}
