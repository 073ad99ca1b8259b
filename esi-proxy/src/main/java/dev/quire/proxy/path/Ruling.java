package dev.quire.proxy.path;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.rule.DeliverRules;
import dev.quire.core.rule.Ending;
import dev.quire.core.rule.RequestPhase;
import dev.quire.core.rule.RequestRules;
import dev.quire.core.rule.RuledRequest;
import dev.quire.core.rule.Rules;
import dev.quire.proxy.access.Logins;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.deliver.RuledChannel;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.metrics.RuleMetrics;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Applies the request rules to pages and fragments, and counts what they did. */
final class Ruling {
    private final RequestRules rules;
    private final DeliverRules deliver;
    private final Time time;
    private final RuleMetrics metrics;
    private final RuleGates gates;

    Ruling(Rules rules, RuleGates gates, Time time, Metrics metrics) {
        this.gates = gates;
        this.rules = rules.request();
        this.deliver = rules.deliver();
        this.time = time;
        this.metrics = metrics.rules();
        rules.names().forEach(this.metrics::show);
    }

    /** Lets the rules of the delivery change the response to {@code exchange}. */
    void deliver(Exchange exchange) {
        if (deliver.isEmpty() && !rules.asksForLogin() && !rules.varies()) {
            return;
        }
        exchange.respondThrough(
                new RuledChannel(exchange.response(), head -> delivered(exchange, head)));
    }

    private Fields delivered(Exchange exchange, ResponseHead head) {
        var begun = exchange.phase();
        var values = begun == null ? begin(exchange, exchange.asked(), 0) : begun;
        var outcome = exchange.trace().outcome();
        var age = head.fields().first("Age");
        var result =
                deliver.applied(
                        head,
                        values,
                        outcome.equals("stale-hit") ? "stale" : outcome,
                        age == null ? 0 : FieldSyntax.number(age, Integer.MAX_VALUE));
        metrics.count(result.applied(), result.failed());
        return rules.forClients(result, exchange.inputs(), exchange.isProtected());
    }

    boolean isEmpty() {
        return rules.isEmpty();
    }

    /**
     * Begins the phase for {@code request}.
     *
     * @param level 0 for the page of {@code exchange}, else the depth of the fragment
     */
    GatedPhase gated(Exchange exchange, RequestHead request, int level) {
        return gated(exchange, begin(exchange, request, level));
    }

    private GatedPhase gated(Exchange exchange, RequestPhase phase) {
        return new GatedPhase(
                phase,
                exchange,
                gates,
                over -> {
                    metrics.count(over.applied(), over.failed());
                    exchange.dependsOn(over.inputs());
                });
    }

    private RequestPhase begin(Exchange exchange, RequestHead request, int level) {
        return rules.begin(
                new RequestPhase.Subject(
                        request,
                        exchange::client,
                        exchange.peer().isTrusted(),
                        level,
                        exchange.response().protocol(),
                        time::wall));
    }

    /**
     * Applies the rules to the page of {@code exchange}.
     *
     * @param then called with the changed request, unless a rule has answered it; later if a
     *     password has to be checked
     */
    void ofPage(Exchange exchange, Runnable then) {
        if (rules.isEmpty()) {
            then.run();
            return;
        }
        var phase = begin(exchange, exchange.effective(), 0);
        exchange.ruledBy(phase);
        var gated = gated(exchange, phase);
        proceed(exchange, gated, gated.run(), then);
    }

    private void proceed(Exchange exchange, GatedPhase phase, GatedPhase.Step step, Runnable then) {
        switch (step) {
            case GatedPhase.Step.Over(var request) -> {
                exchange.ruled(request);
                then.run();
            }
            case GatedPhase.Step.Ended(var ending) -> answer(exchange, ending);
            case GatedPhase.Step.Refused(var refusal) -> refuse(exchange, refusal, time.wall());
            case GatedPhase.Step.Waiting waiting ->
                    phase.check(waiting, next -> proceed(exchange, phase, next, then));
        }
    }

    /**
     * The request for an error page after the rules.
     *
     * @param content the response of a rule; null to look for the page along the routes
     */
    record ErrorPageRequest(RuledRequest request, Ending.@Nullable Respond content) {}

    /**
     * Applies the rules to the request for an error page. Rules that refuse, limit or redirect
     * requests do not end it: the page is sent because of them, perhaps. They are not counted.
     */
    ErrorPageRequest ofErrorPage(Exchange exchange, RequestHead page) {
        if (rules.isEmpty()) {
            return new ErrorPageRequest(RuledRequest.unchanged(page), null);
        }
        var phase = begin(exchange, page, 0);
        var ending = phase.run();
        while (ending != null) {
            if (ending instanceof Ending.Respond content && content.answer().status() == 200) {
                return new ErrorPageRequest(phase.result(), content);
            }
            ending = phase.run();
        }
        return new ErrorPageRequest(phase.result(), null);
    }

    /**
     * Applies the rules to the request for a page that contains a fragment inline. Rules and limits
     * do not count it: they have counted the request for the fragment. Limits of misses count it if
     * the page is requested again.
     *
     * @return null if a rule ends the phase, or asks for credentials that are not known yet
     */
    @Nullable RuledRequest ofContainingPage(Exchange exchange, RequestHead page, int level) {
        var phase = begin(exchange, page, level);
        var ending = phase.run();
        while (ending instanceof Ending.Check || isKnown(exchange, ending)) {
            ending = phase.run();
        }
        exchange.dependsOn(phase.inputs());
        return ending == null ? phase.result() : null;
    }

    /** Whether {@code ending} asks for credentials, and accepts those of {@code exchange}. */
    private boolean isKnown(Exchange exchange, @Nullable Ending ending) {
        if (!(ending instanceof Ending.Login login)) {
            return false;
        }
        // Also if it is refused: others must not reuse a page without this fragment.
        exchange.protect();
        return gates.known(exchange, login) == Logins.Verdict.ACCEPTED;
    }

    /** Sends the error page of {@code refusal} for {@code lookup}. */
    static void refuse(Lookup lookup, RuleRefusal refusal, Instant wall) {
        HandlingNotes.failed(lookup, refusal.failure());
        refuse(lookup.exchange(), refusal, wall);
    }

    /** Sends the error page of {@code refusal}. */
    static void refuse(Exchange exchange, RuleRefusal refusal, Instant wall) {
        exchange.trace().decided("rule", refusal.reason());
        Answers.error(exchange, refusal.page(), wall);
    }

    private void answer(Exchange exchange, Ending ending) {
        var wall = time.wall();
        exchange.trace().decided("rule", ending.rule());
        switch (ending) {
            case Ending.Redirect(var rule, var status, var location) ->
                    Answers.redirect(exchange, status, location, wall);
            case Ending.Respond(var rule, var answer, var fields) ->
                    Answers.fixed(exchange, answer, fields, wall);
            case Ending.Deny(var rule, var status) ->
                    Answers.error(exchange, ErrorPage.ofRule(status), wall);
            case Ending.Check check -> throw unexpected(check);
            case Ending.Login login -> throw unexpected(login);
        }
    }

    private static IllegalStateException unexpected(Ending ending) {
        return new IllegalStateException("no configuration has " + ending);
    }
}
