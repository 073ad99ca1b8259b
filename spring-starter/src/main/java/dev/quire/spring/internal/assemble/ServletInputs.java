package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.PageInputs;
import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.Evaluation.Problems;
import dev.quire.core.expression.RequestVariables;
import dev.quire.core.expression.Variables;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The environment of one page's documents: the servlet request, the time, random numbers. Confined
 * to the thread of the page.
 */
public final class ServletInputs implements PageInputs {

    /**
     * The sources of time and random numbers.
     *
     * @param random called once per page, on its thread
     */
    public record Source(Clock clock, Supplier<RandomGenerator> random) {}

    private final Clock clock;
    private final RandomGenerator random;
    private final RequestVariables variables;

    /**
     * The environment of {@code request}.
     *
     * @param page the requested page
     */
    ServletInputs(
            HttpServletRequest request,
            CacheKey page,
            RequestVariables.Rules rules,
            Source source) {
        this.clock = source.clock();
        this.random = source.random().get();
        this.variables =
                new RequestVariables(
                        new RequestHead(
                                request.getMethod(),
                                page.scheme(),
                                page.authority(),
                                page.target(),
                                new ServletFields(request)),
                        request.getRemoteAddr(),
                        rules,
                        Optional.empty());
    }

    @Override
    public Evaluation evaluation(Problems problems) {
        return new Evaluation(clock.instant(), random, problems);
    }

    @Override
    public Variables variables(CacheKey key) {
        return variables.of(key);
    }
}
