package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The fields that are forwarded from one connection to the next, or stored (RFC 9111 §3.1). */
public final class ForwardedFields {
    private ForwardedFields() {}

    /**
     * Returns the fields of a message without hop-by-hop fields: the known ones, and those that
     * Connection names.
     */
    public static Fields forwardable(Fields fields) {
        var nominated = HopByHop.nominated(fields);
        return fields.without(name -> HopByHop.isHopByHop(name) || nominated.contains(name));
    }

    /**
     * Returns the fields of {@code response} that may be stored: {@link #forwardable} ones, except
     * those that {@code Cache-Control} or a targeted field makes private or no-cache. All of these
     * fields count, whichever governs the rest, and no-cache fields are left out of a response just
     * validated too. Both are stricter than the RFC and never show a client another's field.
     */
    public static Fields storable(Fields response) {
        return response.without(unstorable(response));
    }

    /** As above, also without the fields of which {@code received} says so. */
    public static Fields storable(Fields response, Fields received) {
        return storable(response).without(unstorable(received));
    }

    private static Predicate<String> unstorable(Fields response) {
        var left = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        left.addAll(HopByHop.nominated(response));
        leaveOut(CacheControl.of(response), left);
        CdnCacheControl.of(response).ifPresent(directives -> leaveOut(directives, left));
        if (response.contains("Surrogate-Control")) {
            leaveOut(SurrogateControl.toAnyone(response), left);
        }
        return name -> HopByHop.isHopByHop(name) || left.contains(name);
    }

    private static void leaveOut(CacheControl directives, Set<String> left) {
        left.addAll(directives.privateFields());
        left.addAll(directives.noCacheFields());
    }
}
