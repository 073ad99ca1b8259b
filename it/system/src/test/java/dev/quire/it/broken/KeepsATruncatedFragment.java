package dev.quire.it.broken;

import dev.quire.test.Reply;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import java.util.Arrays;

/** Treats the end of a connection as the end of the body. */
final class KeepsATruncatedFragment extends Defect {

    @Override
    Reply taken(Request request, Reply reply) {
        if (!(reply instanceof Reply.Cut(var response, var bytes))) {
            return reply;
        }
        var body = response.body().bytes();
        return new Reply.Whole(
                with(
                        response,
                        response.status(),
                        response.fields().without("content-length"::equalsIgnoreCase),
                        Content.of(Arrays.copyOf(body, Math.min(bytes, body.length)))));
    }
}
