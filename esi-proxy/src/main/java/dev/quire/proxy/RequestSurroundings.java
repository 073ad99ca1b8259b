package dev.quire.proxy;

import dev.quire.core.assemble.Surroundings;
import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.Evaluation.Problems;
import dev.quire.core.expression.RequestVariables;
import dev.quire.core.expression.Variables;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.exchange.Exchange;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What the documents of one page may know: the client's request as it came, the time of day, and
 * chance. On the exchange's loop; nothing of the request is looked at before a document asks.
 */
final class RequestSurroundings implements Surroundings {
    private final Exchange exchange;
    private final RequestVariables variables;
    private final Time time;

    RequestSurroundings(Exchange exchange, RequestVariables.Rules rules, Time time) {
        this.exchange = exchange;
        this.time = time;
        this.variables =
                new RequestVariables(
                        exchange.request(),
                        exchange.peer().address().getHostAddress(),
                        rules,
                        Optional.empty());
    }

    @Override
    public Evaluation evaluation(Problems problems) {
        return new Evaluation(time.wall(), ThreadLocalRandom.current(), problems);
    }

    @Override
    public Variables variables(CacheKey key) {
        return variables.of(key);
    }
}
