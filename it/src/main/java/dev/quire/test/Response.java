package dev.quire.test;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One whole response as it reached the client.
 *
 * @param version as the status line has it
 * @param status of the final response
 * @param fields in the order they came
 * @param body with the transfer coding removed; empty for HEAD
 * @param interims the 1xx responses in front of it
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

    /** The first field called {@code name}, or null when there is none. */
    public @Nullable String field(String name) {
        return fields.first(name);
    }

    /** The body read as UTF-8. */
    public String text() {
        return body.text();
    }
}
