package dev.quire.proxy.path;

import dev.quire.core.rule.Ending;
import dev.quire.core.rule.RequestPhase;
import dev.quire.core.rule.RuledRequest;
import dev.quire.proxy.access.Logins;
import dev.quire.proxy.exchange.Exchange;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The request phase of a page or a fragment, with the limits and logins of its rules. On the loop
 * of its exchange.
 */
final class GatedPhase {

    /** How far the phase has come. */
    sealed interface Step {
        /** All rules have been applied. */
        record Over(RuledRequest request) implements Step {}

        /** A redirect, response or refusal of the configuration. */
        record Ended(Ending ending) implements Step {}

        /** A limit or login has refused the request. */
        record Refused(RuleRefusal refusal) implements Step {}

        /** The phase goes on with {@link #check}. */
        record Waiting(Ending.Login login) implements Step {}
    }

    private final RequestPhase phase;
    private final Exchange exchange;
    private final RuleGates gates;
    private final Consumer<RequestPhase> whenOver;

    /**
     * @param whenOver called once, at the end of the phase
     */
    GatedPhase(
            RequestPhase phase,
            Exchange exchange,
            RuleGates gates,
            Consumer<RequestPhase> whenOver) {
        this.phase = phase;
        this.exchange = exchange;
        this.gates = gates;
        this.whenOver = whenOver;
    }

    /** Applies rules until the phase ends or has to wait. */
    Step run() {
        while (true) {
            switch (phase.run()) {
                case null -> {
                    return over(new Step.Over(phase.result()));
                }
                case Ending.Check check -> {
                    var refusal = gates.refusal(List.of(check));
                    if (refusal != null) {
                        return over(new Step.Refused(refusal));
                    }
                }
                case Ending.Login login -> {
                    // Also if it is refused: others must not reuse a page without this fragment.
                    exchange.protect();
                    var verdict = gates.known(exchange, login);
                    if (verdict == null) {
                        return new Step.Waiting(login);
                    }
                    var refusal = refusal(login, verdict);
                    if (refusal != null) {
                        return over(refusal);
                    }
                }
                case Ending ending -> {
                    return over(new Step.Ended(ending));
                }
            }
        }
    }

    /**
     * Checks the password for which the phase waits, and goes on.
     *
     * @param then called with the next step, later, unless the exchange has ended
     */
    void check(Step.Waiting waiting, Consumer<Step> then) {
        var login = waiting.login();
        gates.check(
                exchange,
                login,
                verdict -> {
                    var refusal = refusal(login, verdict);
                    then.accept(refusal == null ? run() : over(refusal));
                });
    }

    private Step.@Nullable Refused refusal(Ending.Login login, Logins.Verdict verdict) {
        var refusal = gates.refusal(exchange, login, verdict);
        if (refusal != null) {
            return new Step.Refused(refusal);
        }
        if (phase.level() == 0 && !login.credentials().forwards()) {
            exchange.removeAuthorization();
        }
        return null;
    }

    private Step over(Step last) {
        whenOver.accept(phase);
        return last;
    }
}
