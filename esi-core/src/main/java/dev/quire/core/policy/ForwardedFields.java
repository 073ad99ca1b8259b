package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** The fields that go on from one connection to the next, or into the store (RFC 9111 §3.1). */
public final class ForwardedFields {
    /** Those that speak of one connection (RFC 9110 §7.6.1), or to a proxy as such. */
    private static final Set<String> HOP_BY_HOP =
            Set.of(
                    "connection",
                    "keep-alive",
                    "proxy-connection",
                    "te",
                    "transfer-encoding",
                    "upgrade",
                    "proxy-authenticate",
                    "proxy-authentication-info",
                    "proxy-authorization");

    private ForwardedFields() {}

    /**
     * The fields of a request or response without those of its connection: the known ones, and all
     * that Connection names.
     */
    public static Fields forwardable(Fields fields) {
        var connection = connectionFields(fields);
        return fields.without(name -> connection.contains(name.toLowerCase(Locale.ROOT)));
    }

    /**
     * The fields of {@code response} that may be kept: {@link #forwardable} ones, without those
     * that {@code Cache-Control} or a targeted field says are private or not to be reused without
     * validation. Each of them is heard, whichever decides on the rest, and the fields are left out
     * of an answer just validated too; both are stricter than the rule and never show a reader
     * another's field.
     */
    public static Fields storable(Fields response) {
        var left = connectionFields(response);
        leaveOut(CacheControl.of(response), left);
        CdnCacheControl.of(response).ifPresent(directives -> leaveOut(directives, left));
        if (response.contains("Surrogate-Control")) {
            leaveOut(SurrogateControl.toAnyone(response), left);
        }
        return response.without(name -> left.contains(name.toLowerCase(Locale.ROOT)));
    }

    private static void leaveOut(CacheControl directives, Set<String> left) {
        left.addAll(directives.privateFields());
        left.addAll(directives.noCacheFields());
    }

    private static Set<String> connectionFields(Fields fields) {
        var names = new HashSet<>(HOP_BY_HOP);
        for (var name : FieldList.members(fields.all("Connection"))) {
            names.add(name.toLowerCase(Locale.ROOT));
        }
        return names;
    }
}
