package dev.quire.test;

import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the proxy takes for the application: a server that passes each request on to it, and writes
 * what comes of that, on real connections. Any thread.
 */
final class Tap implements AutoCloseable {
    /** They speak of one connection, or say where its messages end (RFC 9110 §7.6.1). */
    private static final Set<String> OF_CONNECTIONS =
            Set.of(
                    "connection",
                    "content-length",
                    "keep-alive",
                    "proxy-connection",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    private final Application application;
    private final KnownReplies replies;
    private final Origin origin = Origin.start();

    /** Guarded by the origin's watch, as is the next. */
    private int underWay;

    private @Nullable Throwable problem;

    Tap(Application application, KnownReplies replies) {
        this.application = application;
        this.replies = replies;
        origin.otherwise(this::passOn);
    }

    /** Where the proxy finds it. */
    URI url() {
        return origin.url();
    }

    /** Waits until the application is not asked for anything any more. */
    void awaitQuiet() {
        origin.watch()
                .await(
                        () -> underWay == 0,
                        () -> "expected the application to have replied to everything");
    }

    /** What the application could not even be asked for since the last call; null for nothing. */
    @Nullable Throwable problem() {
        return origin.watch()
                .read(() -> {
                    var met = problem;
                    problem = null;
                    return met;
                });
    }

    /** Asks the application, for no longer than somebody waits. On the answer's own thread. */
    private Answer passOn(ReceivedRequest received) {
        var request =
                new Request(
                        received.method(),
                        received.target(),
                        received.fields().without(Tap::isOfConnection),
                        received.body());
        var asking = new Asking(request);
        var thread = Thread.ofVirtual().name("tap").unstarted(asking);
        var watch = origin.watch();
        watch.change(() -> underWay++);
        thread.start();
        watch.awaitChange(() -> asking.reply != null || received.isAbandoned());
        var reply = watch.read(() -> asking.reply);
        if (reply == null) {
            thread.interrupt();
            return Answer.nothing();
        }
        return answer(request, reply);
    }

    /** One request on its way to the application. */
    private final class Asking implements Runnable {
        private final Request request;
        private @Nullable Reply reply;

        Asking(Request request) {
            this.request = request;
        }

        @Override
        public void run() {
            Reply given = new Reply.None("the application could not be asked");
            @Nullable Throwable met = null;
            try {
                given = application.answer(request);
                replies.add(request, given);
            } catch (RuntimeException | AssertionError cannotAsk) {
                met = cannotAsk;
            } finally {
                done(given, met);
            }
        }

        private void done(Reply given, @Nullable Throwable met) {
            origin.watch()
                    .change(() -> {
                        reply = given;
                        underWay--;
                        if (met != null && problem == null) {
                            problem = met;
                        }
                    });
        }
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
                .without(Tap::isOfConnection)
                .forEach((name, value) -> lines[0] = lines[0].field(name, value));
        return lines[0];
    }

    static boolean isOfConnection(String name) {
        return OF_CONNECTIONS.contains(name.toLowerCase(Locale.ROOT));
    }

    /** Ends all connections; nobody waits for the application any more. */
    @Override
    public void close() {
        origin.close();
    }
}
