package dev.quire.it.broken;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.test.Application;
import dev.quire.test.Assembled;
import dev.quire.test.Content;
import dev.quire.test.Reply;
import dev.quire.test.Request;
import dev.quire.test.Response;
import java.util.function.UnaryOperator;

/**
 * What one broken assembler gets wrong, between the application, itself and its readers; nothing
 * unless a method says otherwise. Each assembler has its own, empty at its start. Several threads
 * at a time.
 */
abstract class Defect {

    /** How it asks the application. */
    Reply asked(Request request, Application application) {
        return application.answer(request);
    }

    /** What it takes the application's reply for. */
    Reply taken(Request request, Reply reply) {
        return reply;
    }

    /** What it sends to its reader. */
    Response sent(Assembled page) {
        return page.response();
    }

    /** Whether it does what a purge by tags demands. */
    boolean heedsTags() {
        return true;
    }

    /** Whether it does what a purge by URL demands. */
    boolean heedsTargets() {
        return true;
    }

    /** Whether readers who come while another is under way share what that one fetches. */
    boolean coalesces() {
        return true;
    }

    static boolean isFragment(Request request) {
        return request.path().startsWith("/fragments/");
    }

    /** A whole reply with another text; others as they are. */
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

    /** A whole reply whose lines of {@code name} have other values; others as they are. */
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
