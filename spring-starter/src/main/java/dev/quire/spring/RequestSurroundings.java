package dev.quire.spring;

import dev.quire.core.assemble.Surroundings;
import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.Evaluation.Problems;
import dev.quire.core.expression.Value;
import dev.quire.core.expression.Variables;
import dev.quire.core.policy.CacheKey;
import java.time.Clock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** What the documents of one page may know: the servlet request, the time, chance. */
record RequestSurroundings(Clock clock, Supplier<RandomGenerator> random) implements Surroundings {

    @Override
    public Evaluation evaluation(Problems problems) {
        return new Evaluation(clock.instant(), random.get(), problems);
    }

    @Override
    public Variables variables(CacheKey key) {
        return (name, entry) -> Value.Null.NULL;
    }
}
