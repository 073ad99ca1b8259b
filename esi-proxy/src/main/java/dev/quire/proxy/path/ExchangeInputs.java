package dev.quire.proxy.path;

import dev.quire.core.assemble.PageInputs;
import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.Evaluation.Problems;
import dev.quire.core.expression.RequestVariables;
import dev.quire.core.expression.Variables;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.exchange.AddressText;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.Time;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The data available to the expressions of one page: the client's request as origins get it, the
 * time of day, and random numbers. On the exchange's loop; evaluated on first use.
 */
final class ExchangeInputs implements PageInputs {
    private final Exchange exchange;
    private final RequestVariables.Rules rules;
    private final Time time;

    /** Created on first use: most pages evaluate nothing. */
    private @Nullable RequestVariables variables;

    ExchangeInputs(Exchange exchange, RequestVariables.Rules rules, Time time) {
        this.exchange = exchange;
        this.rules = rules;
        this.time = time;
    }

    @Override
    public Evaluation evaluation(Problems problems) {
        return new Evaluation(time.wall(), ThreadLocalRandom.current(), problems);
    }

    @Override
    public Variables variables(CacheKey key) {
        var known = variables;
        if (known == null) {
            known =
                    new RequestVariables(
                            exchange.request(),
                            AddressText.of(exchange.client()),
                            rules,
                            Optional.empty());
            variables = known;
        }
        return known.of(key);
    }
}
