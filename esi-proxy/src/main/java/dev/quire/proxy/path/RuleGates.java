package dev.quire.proxy.path;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.rule.Ending;
import dev.quire.proxy.access.Gates;
import dev.quire.proxy.access.Logins;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.metrics.Metrics;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Carries out the limits and logins of rules, and counts them. */
final class RuleGates {
    private final Gates gates;
    private final Time time;
    private final Metrics metrics;

    RuleGates(Gates gates, Time time, Metrics metrics) {
        this.gates = gates;
        this.time = time;
        this.metrics = metrics;
    }

    /** Counts a request for {@code checks}, in order; null if all limits admit it. */
    @Nullable RuleRefusal refusal(List<Ending.Check> checks) {
        for (var check : checks) {
            long wait = gates.limits().take(check, time.ticks());
            if (wait > 0) {
                return refused(check.rule(), "rate exceeded", ErrorPage.ofRate(wait));
            }
        }
        return null;
    }

    /** Returns the verdict on the credentials of {@code exchange} if it needs no check. */
    Logins.@Nullable Verdict known(Exchange exchange, Ending.Login login) {
        return gates.logins().known(login.credentials(), exchange.authorization());
    }

    /**
     * Checks the credentials of {@code exchange}.
     *
     * @param answer called on its loop, unless it has ended
     */
    void check(Exchange exchange, Ending.Login login, Consumer<Logins.Verdict> answer) {
        gates.logins()
                .check(
                        login.credentials(),
                        exchange.authorization(),
                        verdict -> exchange.onLoop(() -> answer.accept(verdict)));
    }

    /** Counts {@code verdict}; null if it admits the request. */
    @Nullable RuleRefusal refusal(Exchange exchange, Ending.Login login, Logins.Verdict verdict) {
        metrics.access().login(verdict);
        return switch (verdict) {
            case ACCEPTED -> null;
            case REFUSED ->
                    refused(
                            login.rule(),
                            exchange.authorization().isEmpty()
                                    ? "no credentials"
                                    : "credentials not accepted",
                            ErrorPage.ofLogin(login.credentials().realm()));
            case OVERLOAD -> refused(login.rule(), "too many logins", ErrorPage.TOO_MANY_LOGINS);
        };
    }

    private RuleRefusal refused(String rule, String why, ErrorPage page) {
        metrics.rules().refused(rule);
        return new RuleRefusal(rule, why, page);
    }
}
