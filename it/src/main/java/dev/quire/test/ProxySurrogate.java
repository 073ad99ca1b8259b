package dev.quire.test;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The real proxy, in front of a server that passes everything on to the application. */
final class ProxySurrogate implements Surrogate {
    private final String authority;
    private final KnownReplies replies;
    private final AssemblyRecorder recorder = new AssemblyRecorder();
    private final Tap tap;
    private final RunningProxy proxy;

    ProxySurrogate(
            Application application, HandSetClock clock, UnaryOperator<RunningProxy.Setup> setup) {
        this.authority = application.authority();
        this.replies = new KnownReplies(authority);
        this.tap = new Tap(application, replies);
        var usual =
                RunningProxy.inFrontOf(tap.url())
                        .clock(clock)
                        // Readers are strangers, and see what strangers see.
                        .with("trusted", "[]")
                        // What fails once is seen to fail.
                        .origin("retries: 0");
        application
                .variants()
                .ifPresent(variants ->
                        usual.with(
                                "variants",
                                "{ cookie: %s, secret: %s }"
                                        .formatted(
                                                quoted(variants.cookie()),
                                                quoted(variants.secret()))));
        try {
            this.proxy = setup.apply(usual).observedBy(recorder).start();
        } catch (RuntimeException | AssertionError cannot) {
            tap.close();
            throw cannot;
        }
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    @Override
    public Assembled ask(Request request) {
        try (var wire = proxy.connect()) {
            recorder.take(wire.localPort());
            int before = replies.count();
            var response = response(wire, request);
            var page = recorder.await(wire.localPort(), request);
            settle();
            return new Assembled(response, Optional.of(replies.parts(page, request, before)));
        }
    }

    private Response response(HttpWire wire, Request request) {
        var lines = new ArrayList<String>();
        request.fields()
                .without(Tap::isOfConnection)
                .forEach((name, value) -> {
                    lines.add(name);
                    lines.add(value);
                });
        var fields = lines.toArray(String[]::new);
        try {
            if (request.body().length() == 0) {
                wire.request(request.method(), request.target(), fields);
            } else {
                wire.request(request.method(), request.target(), request.body().bytes(), fields);
            }
            return wire.response();
        } catch (UncheckedIOException | AssertionError broken) {
            settle();
            throw new AssertionError(
                    "the proxy gives no whole response to " + request + ": " + broken.getMessage(),
                    broken);
        }
    }

    /** Waits until nothing is under way any more. */
    private void settle() {
        proxy.awaitNoFetch();
        tap.awaitQuiet();
        switch (tap.problem()) {
            case null -> {}
            case AssertionError error -> throw error;
            case RuntimeException bug -> throw bug;
            case Throwable other -> throw new IllegalStateException(other);
        }
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
        proxy.close();
        tap.close();
    }
}
