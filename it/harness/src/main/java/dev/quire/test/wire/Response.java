package dev.quire.test.wire;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One complete response as it reached the client.
 *
 * @param version as in the status line
 * @param status of the final response
 * @param fields in order of arrival
 * @param body with the transfer coding removed; empty for HEAD
 * @param interims the preceding 1xx responses
 * @param keepAlive whether the connection may carry another response
 */
public record Response(
        String version,
        int status,
        Fields fields,
        Content body,
        List<ResponseHead> interims,
        boolean keepAlive) {

    public Response {
        interims = List.copyOf(interims);
    }

    /** A complete response over a connection that stays open. */
    public static Response of(int status, Fields fields, Content body) {
        return new Response("HTTP/1.1", status, fields, body, List.of(), true);
    }

    /** The same response with other fields and another body, over a connection that stays open. */
    public Response with(Fields others, Content content) {
        return new Response(version, status, others, content, interims, true);
    }

    public @Nullable String field(String name) {
        return fields.first(name);
    }

    public String text() {
        return body.text();
    }
}
