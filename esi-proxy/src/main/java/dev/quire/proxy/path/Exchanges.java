package dev.quire.proxy.path;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ClientDirectives;
import dev.quire.core.policy.SurrogateCapability;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeHandler;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.path.RequestPath.Inquiry;
import dev.quire.proxy.path.UpstreamRequest.Purpose;
import dev.quire.proxy.route.EsiMode;
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
    private final RequestPath path;
    private final Pages pages;
    private final Codings codings;
    private final Invalidation invalidation;
    private final Time time;
    private final Journal journal;

    public Exchanges(
            Router<Lane> router,
            Rules rules,
            RequestPath path,
            Pages pages,
            Codings codings,
            Invalidation invalidation,
            Time time,
            Journal journal) {
        this.router = router;
        this.rules = rules;
        this.path = path;
        this.pages = pages;
        this.codings = codings;
        this.invalidation = invalidation;
        this.time = time;
        this.journal = journal;
    }

    @Override
    public void begin(Exchange exchange) {
        journal.began(exchange);
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
            Answers.error(exchange, ErrorPage.FAILED, time.wall());
        } else {
            exchange.response().abort();
        }
    }

    private void route(Exchange exchange) {
        var request = exchange.request();
        if (request.target().equals("*")) {
            exchange.trace().decided("pass", "options");
            Answers.options(exchange, time.wall());
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
            case Router.Match.Found<Lane> found ->
                    new ClientAnswer(
                                    exchange,
                                    new Inquiry(
                                            key,
                                            request,
                                            exchange,
                                            exchange.body(),
                                            found.target(),
                                            Purpose.STORE,
                                            true,
                                            null,
                                            isDelegated(exchange, found.target())),
                                    path,
                                    pages,
                                    codings,
                                    invalidation,
                                    time)
                            .begin();
            case Router.Match.UnknownHost<Lane> ignored -> refuse(exchange, ErrorPage.MISDIRECTED);
            case Router.Match.UnknownPath<Lane> ignored -> refuse(exchange, ErrorPage.NOT_FOUND);
        }
    }

    /**
     * Whether the client is a surrogate that assembles pages, and is believed. Never where there is
     * no ESI: what came for him alone could not be told from what is for everybody.
     */
    private boolean isDelegated(Exchange exchange, Lane lane) {
        return rules.trustsDownstream()
                && lane.rules().esi() != EsiMode.OFF
                && exchange.peer().isTrusted()
                && SurrogateCapability.announcesEsi(exchange.request().fields());
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
        Answers.error(exchange, page, time.wall());
    }
}
