package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import java.util.List;

/**
 * What the surrogates between a client and us say they can do (Edge Architecture 1.0 §2.1): {@code
 * token="Surrogate/1.0 ESI/1.0"}, one member for each. Read leniently: quotes may be missing, and
 * the field may be called {@code Surrogate-Capabilities}, as some send it.
 */
public final class SurrogateCapability {
    private static final List<String> NAMES =
            List.of("Surrogate-Capability", "Surrogate-Capabilities");

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
