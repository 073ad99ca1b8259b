package dev.quire.test;

import java.util.List;
import java.util.function.Function;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions about one value, each of which holds or fails with a message of {@link Failures}. */
abstract class Claim<S extends Claim<S, A>, A> extends AbstractAssert<S, A> {
    private final Function<A, AssemblyTrace> trace;

    Claim(@Nullable A actual, Class<S> type) {
        this(
                actual,
                type,
                any -> {
                    throw new IllegalStateException("each claim names its trace");
                });
    }

    /**
     * @param trace the trace in messages that name no other
     */
    Claim(@Nullable A actual, Class<S> type, Function<A, AssemblyTrace> trace) {
        super(actual, type);
        this.trace = trace;
    }

    A it() {
        isNotNull();
        return actual;
    }

    /** As the next one, with the trace of the value under test. */
    S require(boolean holds, String claim, String expected, String seen, String next) {
        return require(holds, claim, expected, seen, holds ? null : trace.apply(it()), next);
    }

    /** Fails unless {@code requests} has {@code path} as often as {@code times}. */
    S requireRequests(
            String who,
            String path,
            int times,
            List<String> requests,
            String ifTooFew,
            String ifTooMany) {
        long seen = requests.stream().filter(target -> Targets.isMeant(path, target)).count();
        return require(
                seen == times,
                "%s to request %s from the application %s".formatted(who, path, times(times)),
                times(times),
                times(seen) + "\nrequests: " + Targets.listed(requests),
                seen < times ? ifTooFew : ifTooMany);
    }

    /** Fails unless {@code requests} has each of {@code expected} once, and nothing else. */
    S requireRequestsOnly(
            String who,
            List<String> expected,
            List<String> requests,
            String ifTooFew,
            String ifTooMany) {
        var missing = Targets.missing(expected, requests);
        var beyond = Targets.beyond(expected, requests);
        return require(
                missing.isEmpty() && beyond.isEmpty(),
                "%s to request %s from the application".formatted(who, Targets.listed(expected)),
                Targets.listed(expected),
                "%s\nmissing: %s; unexpected: %s"
                        .formatted(
                                Targets.listed(requests),
                                Targets.listed(missing),
                                Targets.listed(beyond)),
                beyond.isEmpty() ? ifTooFew : ifTooMany);
    }

    private static String times(long times) {
        return times == 1 ? "once" : times == 0 ? "not at all" : times + " times";
    }

    /** Fails unless {@code holds}; the parameters are those of {@link Failures#message}. */
    S require(
            boolean holds,
            String claim,
            String expected,
            String seen,
            @Nullable AssemblyTrace trace,
            String next) {
        if (!holds) {
            failWithMessage("%s", Failures.message(claim, expected, seen, trace, next));
        }
        return myself;
    }

    /** Runs a check that throws, and adds this assertion's description to its error. */
    S require(Runnable check) {
        try {
            check.run();
        } catch (AssertionError e) {
            failWithMessage("%s", e.getMessage());
        }
        return myself;
    }
}
