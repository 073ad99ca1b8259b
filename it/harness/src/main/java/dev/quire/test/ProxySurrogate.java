package dev.quire.test;

import dev.quire.test.internal.Assembled;
import dev.quire.test.internal.AssemblyRecorder;
import dev.quire.test.internal.Surrogate;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ProxyHandle;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import dev.quire.test.wire.internal.Watch;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The real proxy, in front of the application. */
final class ProxySurrogate implements Surrogate {
    private final String authority;
    private final ApplicationCalls calls;
    private final AssemblyRecorder recorder;
    private final ProxyHandle proxy;
    private final Runnable atItsEnd;

    private ProxySurrogate(
            Application application,
            ApplicationCalls calls,
            AssemblyRecorder recorder,
            ProxyHandle proxy,
            Runnable atItsEnd) {
        this.authority = application.authority();
        this.calls = calls;
        this.recorder = recorder;
        this.proxy = proxy;
        this.atItsEnd = atItsEnd;
    }

    /** The proxy without a socket, on either side. */
    static ProxySurrogate local(Application application, TestClock clock) {
        var calls = new ApplicationCalls(application, new Watch());
        var recorder = new AssemblyRecorder();
        var setup = setup(URI.create("http://" + application.authority()), application, clock);
        var proxy =
                setup.observedBy(recorder)
                        .startWithoutSockets(longest -> new ApplicationOrigin(calls, longest));
        return new ProxySurrogate(application, calls, recorder, proxy, () -> {});
    }

    /**
     * The proxy between sockets, with a server behind it that passes requests to the application.
     */
    static ProxySurrogate overSockets(
            Application application, TestClock clock, UnaryOperator<RunningProxy.Setup> changes) {
        var origin = Origin.start();
        var calls = new ApplicationCalls(application, origin.watch());
        origin.otherwise(received -> passOn(calls, origin.watch(), received));
        var recorder = new AssemblyRecorder();
        try {
            var setup = changes.apply(setup(origin.url(), application, clock));
            var proxy = setup.observedBy(recorder).start();
            return new ProxySurrogate(application, calls, recorder, proxy, origin::close);
        } catch (RuntimeException | AssertionError cannot) {
            origin.close();
            throw cannot;
        }
    }

    private static RunningProxy.Setup setup(URI origin, Application application, TestClock clock) {
        var setup =
                RunningProxy.inFrontOf(origin)
                        .clock(clock)
                        // Readers see no diagnostics, as clients of a site in production.
                        .with("diagnostics", "[]")
                        // The head must not depend on the order in which the parts arrive.
                        .with("deliver", "{ first-flush: 10s }")
                        // A retry would hide a single failure.
                        .origin("retries: 0");
        application
                .variants()
                .ifPresent(variants ->
                        setup.with(
                                "variants",
                                "{ cookie: %s, secret: %s }"
                                        .formatted(
                                                quoted(variants.cookie()),
                                                quoted(variants.secret()))));
        return setup;
    }

    /** Calls the application, for as long as the proxy waits. Runs on the answer's own thread. */
    private static Answer passOn(ApplicationCalls calls, Watch watch, ReceivedRequest received) {
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

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    @Override
    public Assembled ask(Request request) {
        try (var wire = proxy.connect()) {
            recorder.take(wire.localPort());
            int before = calls.replies().count();
            var response = response(wire, request);
            var page = recorder.await(wire.localPort(), request);
            settle();
            return new Assembled(
                    response, Optional.of(calls.replies().parts(page, request, before)));
        }
    }

    private Response response(HttpWire wire, Request request) {
        try {
            return wire.request(request).response();
        } catch (UncheckedIOException | AssertionError broken) {
            settle();
            throw new AssertionError(
                    "the proxy did not send a complete response to %s: %s"
                            .formatted(request, broken.getMessage()),
                    broken);
        }
    }

    private void settle() {
        proxy.awaitNoFetch();
        calls.awaitQuiet();
        calls.requireNoProblem();
    }

    @Override
    public void purgeTags(String... tags) {
        proxy.purgeTags(tags);
    }

    @Override
    public void purge(String... targets) {
        proxy.purgeUrls(
                Arrays.stream(targets)
                        .map(target ->
                                target.startsWith("/") ? "http://" + authority + target : target)
                        .toArray(String[]::new));
    }

    @Override
    public String name() {
        return "the proxy";
    }

    @Override
    public boolean hasCache() {
        return true;
    }

    @Override
    public void close() {
        calls.close();
        proxy.close();
        atItsEnd.run();
    }
}
