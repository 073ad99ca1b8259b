package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import java.nio.charset.Charset;
import java.util.List;
import java.util.regex.Pattern;
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

    private static final Pattern CHARSET =
            Pattern.compile(";\\s*charset\\s*=\\s*\"?([^\\s;\"]+)", Pattern.CASE_INSENSITIVE);

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

    /** The body in the charset of its {@code Content-Type}; without one in UTF-8. */
    public String text() {
        return new String(body.bytes(), charset());
    }

    private Charset charset() {
        var type = field("Content-Type");
        var found = CHARSET.matcher(type == null ? "" : type);
        try {
            return found.find() ? Charset.forName(found.group(1)) : UTF_8;
        } catch (IllegalArgumentException unknown) {
            return UTF_8;
        }
    }
}
