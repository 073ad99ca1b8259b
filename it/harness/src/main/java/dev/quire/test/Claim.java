package dev.quire.test;

import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions about one value, each of which holds or fails with a message of {@link Failures}. */
abstract class Claim<S extends Claim<S, A>, A> extends AbstractAssert<S, A> {
    Claim(@Nullable A actual, Class<S> type) {
        super(actual, type);
    }

    /** The value under test. */
    A it() {
        isNotNull();
        return actual;
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
