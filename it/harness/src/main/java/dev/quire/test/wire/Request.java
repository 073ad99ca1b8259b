package dev.quire.test.wire;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.HopByHop;
import dev.quire.core.policy.RequestFields;
import org.jspecify.annotations.Nullable;

/**
 * A request to a site, or to the application behind it.
 *
 * @param method as in the request line
 * @param target path and query, starting with {@code /}
 * @param fields in order, {@code Host} among them
 * @param body empty if absent
 */
public record Request(String method, String target, Fields fields, Content body) {

    public Request {
        if (!target.startsWith("/")) {
            throw new IllegalArgumentException(
                    "expected a path that starts with '/', found '%s' (expected for example '/news')"
                            .formatted(target));
        }
    }

    public String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    public @Nullable String field(String name) {
        return fields.first(name);
    }

    /** Whether a field called {@code name} belongs to one connection or to a message's framing. */
    public static boolean isOfConnection(String name) {
        return HopByHop.isHopByHop(name) || RequestFields.isOfMessage(name);
    }

    public Request with(Fields others) {
        return new Request(method, target, others, body);
    }

    @Override
    public String toString() {
        return method + " " + target;
    }
}
