package dev.quire.proxy.path;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ClientDirectives;
import dev.quire.core.policy.HttpsRedirect;
import dev.quire.core.policy.UpgradeRequest;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeHandler;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.exchange.Tunnels;
import dev.quire.proxy.route.Router;
import java.net.InetAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles the start and end of exchanges: routes each to its {@link RequestPath} and logs it. */
public final class Exchanges implements ExchangeHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Exchanges.class);
    private static final int MAX_WARNINGS = 100;

    private final Time time;
    private final Journal journal;
    private final Tunnels tunnels;
    private final InvalidationRequests invalidations;
    private final CurrentParts current;

    /** The peers of which a warning about the scheme was logged. */
    private final Set<InetAddress> warnedPeers = ConcurrentHashMap.newKeySet();

    public Exchanges(SharedParts shared, ProxyParts first) {
        this.time = shared.time();
        this.journal = shared.journal();
        this.tunnels = shared.tunnels();
        this.invalidations = new InvalidationRequests(shared.invalidations(), time);
        this.current = shared.current();
        current.set(first);
    }

    /** The parts used for the next exchange. */
    public ProxyParts current() {
        return current.get();
    }

    /**
     * Uses {@code next} for all exchanges that begin from now on. Not to be called concurrently.
     */
    public void replace(ProxyParts next) {
        current.set(next);
    }

    /** The responses to clients so far. */
    public CurrentParts.Responses responses() {
        return current.responses();
    }

    /** Exchanges in progress. */
    public long open() {
        return current.open();
    }

    /** Releases all parts. */
    public void close() {
        current.close();
    }

    @Override
    public void begin(Exchange exchange) {
        var parts = current();
        while (!parts.begin()) {
            parts = current();
        }
        // First, so that the exchange ends its use of the parts whatever fails below.
        exchange.servedBy(parts, exchange.request());
        try {
            exchange.servedBy(parts, asServed(exchange, parts));
            parts.ruling.deliver(exchange);
            route(exchange, parts);
        } catch (RuntimeException | Error bug) {
            failed(exchange, bug);
        }
    }

    private static RequestHead asServed(Exchange exchange, ProxyParts parts) {
        var request = parts.variants.of(exchange.request());
        return switch (parts.configuration().log().requestId()) {
            case LOG -> request;
            case SEND -> exchange.id().in(request);
        };
    }

    @Override
    public void finished(Exchange exchange, long nowNanos) {
        exchange.over();
        journal.finished(exchange, nowNanos);
    }

    /** Handles an internal error: ends all work for the exchange and sends the client an error. */
    @Override
    public void failed(Exchange exchange, Throwable bug) {
        note(exchange, bug);
        if (exchange.isOver()) {
            return;
        }
        try {
            exchange.clientGone();
        } catch (RuntimeException | Error another) {
            note(exchange, another);
        }
        if (exchange.response().status() != 0 || !isSentError(exchange)) {
            exchange.breakOff();
        }
    }

    private boolean isSentError(Exchange exchange) {
        try {
            Answers.error(exchange, ErrorPage.FAILED, time.wall());
            return true;
        } catch (RuntimeException | Error another) {
            note(exchange, another);
            return false;
        }
    }

    private void note(Exchange exchange, Throwable bug) {
        try {
            journal.bug(exchange, bug);
        } catch (RuntimeException | Error unlogged) {
            // The client gets its answer.
        }
    }

    private void route(Exchange exchange, ProxyParts parts) {
        journal.began(exchange);
        if (invalidations.answer(exchange, parts)) {
            return;
        }
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
        var redirect = parts.httpsRedirect;
        if (redirect != null && redirect.applies(request) && isRouted(request, parts)) {
            redirect(exchange, redirect);
            return;
        }
        parts.ruling.ofPage(exchange, () -> routeRuled(exchange, parts));
    }

    private static boolean isRouted(RequestHead request, ProxyParts parts) {
        return !(parts.router.match(CacheKey.of(request)) instanceof Router.Match.UnknownHost);
    }

    private void redirect(Exchange exchange, HttpsRedirect redirect) {
        var balancer = exchange.peer().tlsClaimedBy();
        boolean claimsHttps =
                balancer != null
                        || exchange.receivedFields().all("X-Forwarded-Proto").contains("https");
        var claimant = balancer == null ? exchange.peer().address() : balancer;
        if (claimsHttps
                && (balancer != null || !exchange.peer().isTrusted())
                && warnedPeers.size() < MAX_WARNINGS
                && warnedPeers.add(claimant)) {
            LOG.atWarn()
                    .addKeyValue("event", "untrusted-scheme")
                    .log(
                            "{} says https and is redirected, since trusted does not name it: if it"
                                    + " terminates TLS, add it to trusted",
                            claimant.getHostAddress());
        }
        exchange.trace().decided("pass", "redirected-to-https");
        Answers.redirect(
                exchange, HttpsRedirect.STATUS, redirect.location(exchange.request()), time.wall());
    }

    /** Routes the request as the rules have changed it. */
    private void routeRuled(Exchange exchange, ProxyParts parts) {
        if (parts.configuration().cache().heeded().contains(exchange.peer().address())) {
            exchange.heed(ClientDirectives.of(exchange.request().fields()));
        }
        var key = parts.reserved.removedFrom(exchange.ruled().key());
        switch (parts.router.match(key)) {
            case Router.Match.Matched<RouteTarget> found
                    when isTooLarge(exchange.body(), found.target().maxBodyBytes()) -> {
                exchange.trace().failed("body-too-large");
                Answers.error(exchange, ErrorPage.BODY_TOO_LARGE, time.wall());
            }
            case Router.Match.Matched<RouteTarget> found
                    when isTunnelTooMany(exchange, found.target()) -> {
                exchange.trace().failed("too-many-tunnels");
                Answers.error(exchange, ErrorPage.TOO_MANY_TUNNELS, time.wall());
            }
            case Router.Match.Matched<RouteTarget> found -> {
                var lookup =
                        Lookup.ofPage(
                                exchange,
                                key,
                                found.target().at(exchange.ruled().origin()),
                                parts.configuration().esi().trustDownstream());
                new ClientAnswer(lookup, parts.steps).begin();
            }
            case Router.Match.UnknownHost<RouteTarget> ignored ->
                    refuse(exchange, ErrorPage.MISDIRECTED);
            case Router.Match.UnknownPath<RouteTarget> ignored ->
                    refuse(exchange, ErrorPage.NOT_FOUND);
        }
    }

    /** Reserves a place for a tunnel if one is asked for and the route forwards it. */
    private boolean isTunnelTooMany(Exchange exchange, RouteTarget target) {
        var asked = exchange.response().upgrade();
        if (asked == null) {
            return false;
        }
        var idle = target.tunnelIdle();
        switch (asked) {
            case UpgradeRequest.WebSocket handshake when idle.isPresent() -> {
                var place = tunnels.reserve(handshake, idle.get());
                if (place == null) {
                    journal.turnedAway(Tunnels.Refusal.TOO_MANY_TUNNELS);
                    return true;
                }
                exchange.reserve(place);
            }
            case UpgradeRequest.WebSocket handshake ->
                    journal.upgradeRemoved(
                            target.rules().route(),
                            handshake.protocol(),
                            "the route does not forward it");
            case UpgradeRequest.Removed removed ->
                    journal.upgradeRemoved(
                            target.rules().route(), removed.protocol(), removed.reason());
        }
        return false;
    }

    /** Sets the limit of {@code body}. */
    private static boolean isTooLarge(@Nullable RequestBody body, long maxBytes) {
        return body != null && maxBytes > 0 && !body.limit(maxBytes);
    }

    private void refuse(Exchange exchange, ErrorPage page) {
        exchange.trace().failed("no-route");
        var notes = exchange.notes();
        if (notes != null && exchange.request().target().startsWith("/")) {
            notes.pageFailed(
                    CacheKey.of(exchange.request()),
                    0,
                    new Failure(Failure.Side.PROXY, Failure.Kind.DENIED, "no route matches"));
        }
        Answers.error(exchange, page, time.wall());
    }
}
