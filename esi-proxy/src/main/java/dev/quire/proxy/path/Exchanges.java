package dev.quire.proxy.path;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ClientDirectives;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeHandler;
import dev.quire.proxy.route.Router;
import java.net.InetAddress;
import java.util.function.Predicate;

/** Where exchanges begin and end: each is routed, sent along the {@link RequestPath}, and noted. */
public final class Exchanges implements ExchangeHandler {
    /**
     * How requests are read.
     *
     * @param trustsDownstream whether trusted peers may assemble pages themselves
     * @param heeded whose cache directives are honoured
     */
    public record Rules(
            ReservedArguments reserved, boolean trustsDownstream, Predicate<InetAddress> heeded) {}

    private final Router<Lane> router;
    private final Rules rules;
    private final AnswerSteps steps;
    private final Journal journal;

    public Exchanges(Router<Lane> router, Rules rules, AnswerSteps steps, Journal journal) {
        this.router = router;
        this.rules = rules;
        this.steps = steps;
        this.journal = journal;
    }

    @Override
    public void begin(Exchange exchange) {
        try {
            route(exchange);
        } catch (RuntimeException bug) {
            failed(exchange, bug);
        }
    }

    @Override
    public void finished(Exchange exchange) {
        exchange.over();
        journal.finished(exchange);
    }

    /** Our own fault: whatever was under way for the exchange ends, and the client is told. */
    @Override
    public void failed(Exchange exchange, RuntimeException bug) {
        journal.bug(exchange, bug);
        if (exchange.isOver()) {
            return;
        }
        try {
            exchange.clientGone();
        } catch (RuntimeException another) {
            journal.bug(exchange, another);
        }
        if (exchange.response().status() == 0) {
            Answers.error(exchange, ErrorPage.FAILED, steps.time().wall());
        } else {
            exchange.response().abort();
        }
    }

    private void route(Exchange exchange) {
        journal.began(exchange);
        var request = exchange.request();
        if (request.target().equals("*")) {
            exchange.trace().decided("pass", "options");
            Answers.options(exchange, steps.time().wall());
            return;
        }
        if (!request.target().startsWith("/")) {
            refuse(exchange, ErrorPage.NOT_FOUND);
            return;
        }
        if (rules.heeded().test(exchange.peer().address())) {
            exchange.heed(ClientDirectives.of(request.fields()));
        }
        var key = rules.reserved().removedFrom(CacheKey.of(request));
        switch (router.match(key)) {
            case Router.Match.Found<Lane> found -> {
                var inquiry =
                        Inquiry.ofPage(exchange, key, found.target(), rules.trustsDownstream());
                new ClientAnswer(inquiry, steps).begin();
            }
            case Router.Match.UnknownHost<Lane> ignored -> refuse(exchange, ErrorPage.MISDIRECTED);
            case Router.Match.UnknownPath<Lane> ignored -> refuse(exchange, ErrorPage.NOT_FOUND);
        }
    }

    private void refuse(Exchange exchange, ErrorPage page) {
        exchange.trace().failed("no-route");
        var notes = exchange.notes();
        if (notes != null && exchange.request().target().startsWith("/")) {
            notes.pageFailed(
                    CacheKey.of(exchange.request()),
                    0,
                    new Failure(Failure.Side.PROXY, Failure.Kind.DENIED, "no route leads there"));
        }
        Answers.error(exchange, page, steps.time().wall());
    }
}
