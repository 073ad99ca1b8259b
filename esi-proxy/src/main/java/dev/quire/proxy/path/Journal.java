package dev.quire.proxy.path;

import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.core.assemble.Failure;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.StorageRefusal;
import dev.quire.core.policy.UpgradeRequest;
import dev.quire.proxy.cache.CacheEvents;
import dev.quire.proxy.exchange.AddressText;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeTrace;
import dev.quire.proxy.exchange.ResponseChannel;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fault.InternalErrors;
import dev.quire.proxy.listen.GoAwayReason;
import dev.quire.proxy.listen.ListenEvents;
import dev.quire.proxy.listen.Overflow;
import dev.quire.proxy.listen.ProxyHeaderResult;
import dev.quire.proxy.listen.Refusal;
import dev.quire.proxy.listen.RefusalReason;
import dev.quire.proxy.log.AccessEntry;
import dev.quire.proxy.log.AccessLog;
import dev.quire.proxy.metrics.Metrics;
import io.netty.handler.codec.http2.Http2Error;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes metrics, the access log and internal errors. Thread-safe. */
public final class Journal implements CacheEvents, ListenEvents {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    private final Metrics metrics;
    private final AccessLog accessLog;
    private final Time time;
    private final AssemblyObserver observer;
    private final boolean isObserved;

    /** Routes for which the warning was logged. */
    private final Set<String> inert = ConcurrentHashMap.newKeySet();

    /** Routes and protocols for which it was logged that an Upgrade was removed. */
    private final Set<String> unforwarded = ConcurrentHashMap.newKeySet();

    /**
     * @param observer receives the parts of each page; {@link AssemblyObserver#NONE} costs nothing
     */
    public Journal(Metrics metrics, AccessLog accessLog, Time time, AssemblyObserver observer) {
        this.metrics = metrics;
        this.accessLog = accessLog;
        this.time = time;
        this.observer = observer;
        metrics.showRejections(RefusalReason.values(), Overflow.values());
        metrics.http2().showGoAways(GoAwayReason.values());
        metrics.http2().showResets(Http2Error.values());
        metrics.clients().showProxyHeaders(ProxyHeaderResult.values());
        this.isObserved = !observer.equals(AssemblyObserver.NONE);
    }

    void began(Exchange exchange) {
        if (isObserved) {
            exchange.observe();
        }
    }

    void finished(Exchange exchange, long nowNanos) {
        var trace = exchange.trace();
        long tookNanos = nowNanos - trace.startedNanos();
        metrics.requested(outcome(trace.outcome()), exchange.response().status(), tookNanos);
        if (accessLog.isOn()) {
            accessLog.write(entry(exchange, trace, tookNanos));
        }
        var notes = exchange.notesOfAsked();
        if (notes != null) {
            observer.assembled(
                    notes.assembly(CacheKey.of(exchange.asked()), exchange.peer().port()));
        }
    }

    void bug(Exchange exchange, Throwable bug) {
        LOG.atError()
                .addKeyValue("event", "internal-error")
                .addKeyValue("id", exchange.id().text())
                .setCause(bug)
                .log(
                        "internal error in {} {}",
                        exchange.asked().method(),
                        exchange.asked().target());
        exchange.trace().failed("bug");
        var notes = exchange.notesOfAsked();
        if (notes != null) {
            notes.pageFailed(
                    CacheKey.of(exchange.asked()),
                    0,
                    new Failure(Failure.Side.PROXY, Failure.Kind.BUG, bug.toString()));
        }
    }

    @Override
    public void uncacheable(StorageRefusal reason) {
        metrics.uncacheable(reason);
    }

    @Override
    public void parsed(CacheKey key, ParsedPage page, boolean isStrict) {
        metrics.parseErrors(page.errors());
        for (var diagnostic : page.diagnostics()) {
            if (isStrict) {
                LOG.atWarn()
                        .addKeyValue("event", "page-malformed")
                        .log("{}:{}", key.url(), diagnostic);
            } else {
                // A busy page is parsed often, and the logger writes on this loop.
                LOG.debug("{}:{}", key.url(), diagnostic);
            }
        }
    }

    @Override
    public void judged(String route, StampStatus stampStatus) {
        metrics.judged(stampStatus);
        if (stampStatus == StampStatus.INERT && inert.add(route)) {
            LOG.atWarn()
                    .addKeyValue("event", "tags-not-processed")
                    .addKeyValue("route", route)
                    .log(
                            "documents of route {} do not carry the stamp of the request they answer, so"
                                    + " their ESI tags are not processed: a cache in front of the origin"
                                    + " replays responses (let it pass documents), or, with esi: stamped,"
                                    + " the origin does not stamp them (use the starter, or esi: auto)",
                            route);
        }
    }

    @Override
    public void ruled(List<String> applied, List<String> failed) {
        metrics.rules().count(applied, failed);
    }

    @Override
    public void coalesced() {
        metrics.coalesced();
    }

    @Override
    public void bug(CacheKey key, Throwable bug) {
        InternalErrors.log(LOG, bug, "the fetch of {} failed", key.url());
    }

    @Override
    public void refreshed(Refresh outcome) {
        metrics.refreshed(outcome);
    }

    @Override
    public void refused(Refusal refusal) {
        metrics.rejectedRequest(refusal.reason());
        if (accessLog.isOn()) {
            accessLog.write(entry(refusal));
        }
        // Any client can cause these, and the logger writes on this loop: a blocked stderr would
        // block it.
        LOG.debug(
                "refused {} from {}: {}",
                refusal.reason(),
                AddressText.of(refusal.client()),
                refusal.offender());
    }

    @Override
    public void streamOpened() {
        metrics.http2().opened();
    }

    @Override
    public void reset(Side by, @Nullable Enum<?> error) {
        metrics.http2().reset(by == Side.CLIENT, error);
    }

    @Override
    public void goAway(Enum<?> reason) {
        metrics.http2().goAway(reason);
    }

    @Override
    public void proxyHeader(Enum<?> result) {
        metrics.clients().proxyHeader(result);
    }

    @Override
    public void turnedAway(Enum<?> reason) {
        metrics.rejectedConnection(reason);
    }

    /** Counts an Upgrade that is not forwarded; logs the first of each protocol on each route. */
    void upgradeRemoved(String route, UpgradeRequest.Protocol protocol, String why) {
        metrics.upgradeRemoved(protocol);
        if (unforwarded.add(route + ' ' + protocol.token())) {
            LOG.atWarn()
                    .addKeyValue("event", "upgrade-removed")
                    .log(
                            "route {}: an Upgrade to {} was removed from a request: {}; not logged again for"
                                    + " this route",
                            route,
                            protocol.token(),
                            why);
        }
    }

    @Override
    public void turnedAway(Enum<?> reason, long connections, InetAddress last) {
        if (accessLog.isOn()) {
            accessLog.write(
                    new AccessEntry(
                            time.wall(),
                            null,
                            last,
                            AccessEntry.Request.NONE,
                            new AccessEntry.Response(0, 0, 0, 0, -1),
                            AccessEntry.Handling.refused(Metrics.label(reason)),
                            connections));
        }
    }

    private AccessEntry entry(Refusal refusal) {
        var head = refusal.head();
        var response = refusal.response();
        return new AccessEntry(
                time.wall(),
                refusal.id(),
                refusal.client(),
                new AccessEntry.Request(
                        known(head.method()),
                        null,
                        known(head.authority()),
                        known(head.target()),
                        known(refusal.protocol()),
                        head.fields().first("User-Agent"),
                        head.fields().first("Referer")),
                new AccessEntry.Response(
                        response.status(), response.bytes(), 0, response.tookNanos(), -1),
                AccessEntry.Handling.refused(Metrics.label(refusal.reason())),
                0);
    }

    private static @Nullable String known(String text) {
        return text.isEmpty() ? null : text;
    }

    private AccessEntry entry(Exchange exchange, ExchangeTrace trace, long tookNanos) {
        var request = exchange.effective();
        var response = exchange.response();
        var fetch = trace.fetch();
        return new AccessEntry(
                time.wall(),
                exchange.id(),
                exchange.client(),
                new AccessEntry.Request(
                        request.method(),
                        request.scheme().text(),
                        request.authority(),
                        request.target(),
                        response.protocol(),
                        exchange.receivedFields().first("User-Agent"),
                        exchange.receivedFields().first("Referer")),
                new AccessEntry.Response(
                        response.status(),
                        response.bodyBytes(),
                        response.tunnelBytes(),
                        tookNanos,
                        firstNanos(response.headNanos(), trace, tookNanos)),
                new AccessEntry.Handling(
                        trace.outcome(),
                        trace.reason(),
                        fetch == null ? null : fetch.refusal(),
                        fetch == null ? null : fetch.server(),
                        fetch == null ? -1 : fetch.originNanos(),
                        trace.search(),
                        trace.fragments()),
                0);
    }

    private static long firstNanos(long headNanos, ExchangeTrace trace, long tookNanos) {
        if (headNanos == 0) {
            return -1;
        }
        return headNanos == ResponseChannel.AT_ONCE ? tookNanos : headNanos - trace.startedNanos();
    }

    private static Metrics.Outcome outcome(String label) {
        return switch (label) {
            case "hit" -> Metrics.Outcome.HIT;
            case "stale-hit", "stale" -> Metrics.Outcome.STALE;
            case "miss", "revalidate" -> Metrics.Outcome.MISS;
            case "pass" -> Metrics.Outcome.PASS;
            case "rule" -> Metrics.Outcome.RULE;
            case "decline" -> Metrics.Outcome.DECLINE;
            default -> Metrics.Outcome.ERROR;
        };
    }
}
