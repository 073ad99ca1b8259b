package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import java.util.Set;
import java.util.TreeSet;

/** The fields that go on from one connection to the next, or into the store (RFC 9111 §3.1). */
public final class ForwardedFields {
    private ForwardedFields() {}

    /**
     * The fields of a request or response without those of its connection: the known ones, and all
     * that Connection names.
     */
    public static Fields forwardable(Fields fields) {
        var nominated = HopByHop.nominated(fields);
        return fields.without(name -> HopByHop.isHopByHop(name) || nominated.contains(name));
    }

    /**
     * The fields of {@code response} that may be kept: {@link #forwardable} ones, without those
     * that {@code Cache-Control} or a targeted field says are private or not to be reused without
     * validation. Each of them is heard, whichever decides on the rest, and the fields are left out
     * of an answer just validated too; both are stricter than the rule and never show a reader
     * another's field.
     */
    public static Fields storable(Fields response) {
        var left = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        left.addAll(HopByHop.nominated(response));
        leaveOut(CacheControl.of(response), left);
        CdnCacheControl.of(response).ifPresent(directives -> leaveOut(directives, left));
        if (response.contains("Surrogate-Control")) {
            leaveOut(SurrogateControl.toAnyone(response), left);
        }
        return response.without(name -> HopByHop.isHopByHop(name) || left.contains(name));
    }

    private static void leaveOut(CacheControl directives, Set<String> left) {
        left.addAll(directives.privateFields());
        left.addAll(directives.noCacheFields());
    }
}
