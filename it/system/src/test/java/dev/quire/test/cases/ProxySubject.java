package dev.quire.test.cases;

import dev.quire.it.Operator;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The real proxy. One instance serves all cases with the default configuration; at most one other
 * runs at a time, with the configuration requested last. Their clock does not move.
 */
final class ProxySubject implements Subject {
    private static final String EVERYTHING = "{\"paths\":[\"/**\"]}";

    private final TestClock clock = TestClock.handSet();
    private final Origin origin = Origin.start(clock);
    private @Nullable Configured standard;
    private @Nullable Configured special;
    private @Nullable Refused refused;
    private @Nullable RunningProxy current;

    private record Configured(CaseConfig config, RunningProxy proxy) {}

    /** The last configuration that was rejected. */
    private record Refused(CaseConfig config, AssertionError why) {}

    @Override
    public void begin(Case one, Run run) {
        origin.otherwise(request -> answer(one, run, request));
        current = proxyFor(one.config());
        var purged = Operator.postPurge(current, EVERYTHING);
        if (!Operator.isMade(purged) || !current.stored().isEmpty()) {
            throw new AssertionError(
                    "expected an empty cache, found %s after a purge that answered %d: %s"
                            .formatted(current.stored(), purged.status(), purged.text()));
        }
        origin.forget();
    }

    /** The proxy of the current run. */
    RunningProxy running() {
        return Objects.requireNonNull(current, "no run has begun");
    }

    @Override
    public Response ask(ClientRequest request) {
        return CaseClient.ask(running().http(), request);
    }

    @Override
    public List<Seen> seen() {
        return origin.requests().stream()
                .map(request ->
                        new Seen(
                                request.method(),
                                authority(request),
                                request.target(),
                                request.fields(),
                                request.body()))
                .toList();
    }

    @Override
    public void end() {
        origin.settle();
        origin.verify();
    }

    @Override
    public void close() {
        if (standard != null) {
            standard.proxy().close();
        }
        if (special != null) {
            special.proxy().close();
        }
        origin.close();
    }

    private RunningProxy proxyFor(CaseConfig config) {
        if (config.settings().isEmpty()) {
            if (standard == null) {
                standard = start(CaseConfig.NONE);
            }
            return standard.proxy();
        }
        if (special == null || !special.config().settings().equals(config.settings())) {
            if (special != null) {
                special.proxy().close();
                special = null;
            }
            if (refused != null && refused.config().settings().equals(config.settings())) {
                throw refused.why();
            }
            special = start(config);
        }
        return special.proxy();
    }

    private Configured start(CaseConfig config) {
        var setup = RunningProxy.inFrontOf(origin).clock(clock);
        if (!config.settings().isEmpty()) {
            setup.with("esi", config.yaml());
            if (config.settings().containsKey("trust-downstream")) {
                setup.with("trusted", "[127.0.0.0/8, \"::1/128\"]");
            }
        }
        try {
            return new Configured(config, setup.start());
        } catch (AssertionError e) {
            refused = new Refused(config, e);
            throw e;
        }
    }

    private static Answer answer(Case one, Run run, ReceivedRequest request) {
        var said = one.answerTo(authority(request), request.target());
        return said == null
                ? Answer.status(404)
                        .field("Content-Type", "text/plain")
                        .body("the case has no answer for " + request.target() + "\n")
                : said.answer(run);
    }

    private static String authority(ReceivedRequest request) {
        return Objects.requireNonNull(request.field("Host"), "the origin takes no other request");
    }
}
