package dev.quire.test;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.internal.Watch;
import java.util.ArrayList;

/** Passes the requests of a server on to the application, and its replies back. Thread-safe. */
final class ApplicationRelay {
    private final ApplicationCalls calls;
    private final Watch watch;

    /**
     * @param watch of the server; it also guards the calls
     */
    ApplicationRelay(ApplicationCalls calls, Watch watch) {
        this.calls = calls;
        this.watch = watch;
    }

    /** Calls the application, for as long as the proxy waits. Runs on the answer's own thread. */
    Answer passOn(ReceivedRequest received) {
        var request =
                new Request(
                        received.method(),
                        received.target(),
                        received.fields().without(Request::isOfConnection),
                        received.body());
        var replies = new ArrayList<Reply>();
        var call = calls.start(request, replies::add);
        watch.awaitChange(() -> !replies.isEmpty() || received.isAbandoned());
        if (watch.read(replies::isEmpty)) {
            call.interrupt();
            return Answer.nothing();
        }
        return answer(request, replies.getFirst());
    }

    private static Answer answer(Request request, Reply reply) {
        return switch (reply) {
            case Reply.Whole(var response) -> answer(request, response);
            case Reply.Cut(var response, var bytes) -> answer(request, response).cutAfter(bytes);
            case Reply.None(var why) -> Answer.nothing();
        };
    }

    private static Answer answer(Request request, Response response) {
        var answer = Answer.status(response.status()).undated().body(response.body().bytes());
        var length = response.field("Content-Length");
        boolean isHead = request.method().equals("HEAD");
        if (length != null && (isHead || response.status() == 304)) {
            answer = answer.field("Content-Length", length);
        } else if (isHead) {
            answer = answer.untilClose();
        }
        var lines = new Answer[] {answer};
        response.fields()
                .without(Request::isOfConnection)
                .forEach((name, value) -> lines[0] = lines[0].field(name, value));
        return lines[0];
    }
}
