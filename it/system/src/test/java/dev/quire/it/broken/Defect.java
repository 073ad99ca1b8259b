package dev.quire.it.broken;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.test.Application;
import dev.quire.test.Reply;
import dev.quire.test.internal.Assembled;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import java.util.function.UnaryOperator;

/**
 * The defect of one broken assembler, between the application, the assembler and its clients. The
 * default methods change nothing. Each assembler has its own instance. Thread-safe.
 */
abstract class Defect {

    /** Sends a request to the application. */
    Reply asked(Request request, Application application) {
        return application.answer(request);
    }

    /** Returns the reply as the assembler sees it. */
    Reply taken(Request request, Reply reply) {
        return reply;
    }

    /** Returns the response to the client. */
    Response sent(Assembled page) {
        return page.response();
    }

    /** Whether it honours a purge by tags. */
    boolean heedsTags() {
        return true;
    }

    /** Whether it honours a purge by URL. */
    boolean heedsTargets() {
        return true;
    }

    /** Whether it coalesces concurrent requests. */
    boolean coalesces() {
        return true;
    }

    static boolean isFragment(Request request) {
        return request.path().startsWith("/fragments/");
    }

    /** Changes the text of a complete reply; returns others unchanged. */
    static Reply withText(Reply reply, UnaryOperator<String> change) {
        if (!(reply instanceof Reply.Whole(var response))) {
            return reply;
        }
        var text = change.apply(response.text());
        return text.equals(response.text()) ? reply : new Reply.Whole(withText(response, text));
    }

    static Response withText(Response response, String text) {
        return with(
                response,
                response.status(),
                response.fields().without("content-length"::equalsIgnoreCase),
                Content.of(text.getBytes(UTF_8)));
    }

    /**
     * Changes the values of the field {@code name} of a complete reply; returns others unchanged.
     */
    static Reply withField(Reply reply, String name, UnaryOperator<String> change) {
        if (!(reply instanceof Reply.Whole(var response))) {
            return reply;
        }
        var fields = new Fields.Builder();
        response.fields()
                .forEach((each, value) ->
                        fields.add(
                                each, each.equalsIgnoreCase(name) ? change.apply(value) : value));
        return new Reply.Whole(with(response, response.status(), fields.build(), response.body()));
    }

    static Response with(Response response, int status, Fields fields, Content body) {
        return new Response(
                response.version(),
                status,
                fields,
                body,
                response.interims(),
                response.keepAlive());
    }
}
