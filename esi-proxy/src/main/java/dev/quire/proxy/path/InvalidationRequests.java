package dev.quire.proxy.path;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.FixedAnswer;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanPatterns;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.config.InvalidationConfig;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fleet.Settled;
import dev.quire.proxy.metrics.Metrics;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers {@code PURGE} and {@code BAN} requests of clients, as FOSHttpCache and plugins for
 * Varnish send them. They are never forwarded. On the exchange's loop; no walk through the store.
 */
final class InvalidationRequests {

    /** Why a client must not invalidate. */
    enum Refusal {
        /** Its connection, or the client that a trusted peer names, is not from these networks. */
        INVALIDATION_ADDRESS,
        /** The token is missing or wrong. */
        INVALIDATION_TOKEN
    }

    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";

    private final OperatorInvalidations invalidations;
    private final Metrics metrics;
    private final Time time;

    InvalidationRequests(OperatorInvalidations invalidations, Time time) {
        this.invalidations = invalidations;
        this.metrics = invalidations.metrics();
        this.time = time;
        metrics.showRejections(Refusal.values(), new Enum<?>[0]);
    }

    /** Answers {@code exchange} if it has one of the methods. Returns false if it has another. */
    boolean answer(Exchange exchange, ProxyParts parts) {
        var method = InvalidationConfig.Method.named(exchange.request().method());
        if (method.isEmpty()) {
            return false;
        }
        var config = parts.configuration().invalidation();
        if (!config.methods().contains(method.get())) {
            // Enabled for the listener only because the configuration was being replaced.
            exchange.trace().failed("method-not-allowed");
            Answers.error(exchange, ErrorPage.ofRefused(405), time.wall());
            return true;
        }
        var refusal = refusal(exchange, config);
        if (refusal != null) {
            metrics.rejectedRequest(refusal);
            exchange.trace().failed(Metrics.label(refusal));
            Answers.error(exchange, ErrorPage.ofRule(403), time.wall());
            return true;
        }
        switch (method.get()) {
            case PURGE -> purge(exchange, parts);
            case BAN -> ban(exchange);
        }
        return true;
    }

    /**
     * The peer's address counts. If it is a trusted peer that forwards for a client, that client's
     * address must be allowed too: a terminator of TLS on this machine is not every client.
     */
    private static @Nullable Refusal refusal(Exchange exchange, InvalidationConfig config) {
        if (!config.isFrom(exchange.peer().address()) || !config.isFrom(exchange.client())) {
            return Refusal.INVALIDATION_ADDRESS;
        }
        var token = config.token();
        if (token.isEmpty()) {
            return null;
        }
        var credentials = exchange.receivedFields().all("Authorization");
        return credentials.size() == 1 && token.get().isIn(credentials.getFirst())
                ? null
                : Refusal.INVALIDATION_TOKEN;
    }

    /** Applications name URLs of either scheme through connections of one. */
    private void purge(Exchange exchange, ProxyParts parts) {
        exchange.trace().decided("pass", "purge");
        var named = CacheKey.of(exchange.request());
        var keys = new HashSet<CacheKey>();
        for (var scheme : Scheme.values()) {
            keys.addAll(parts.keysOf(new CacheKey(scheme, named.authority(), named.target())));
        }
        var covered = invalidations.purge(Purge.of(keys), false);
        answer(exchange, "purged", covered.urls());
    }

    private void ban(Exchange exchange) {
        BanCondition condition;
        try {
            condition = BanCondition.of(BanPatterns.of(exchange.receivedFields()));
        } catch (IllegalArgumentException e) {
            exchange.trace().failed("bad-ban");
            send(exchange, 400, TEXT, "400 " + e.getMessage() + "\n", Fields.EMPTY);
            return;
        }
        var number = invalidations.ban(condition);
        if (number.isEmpty()) {
            exchange.trace().failed("too-many-bans");
            send(
                    exchange,
                    429,
                    TEXT,
                    "429 too many active bans (expected fewer; retry when some have completed)\n",
                    Fields.of("Retry-After", "5"));
            return;
        }
        exchange.trace().decided("pass", "ban");
        answer(exchange, "ban", number.getAsLong());
    }

    /**
     * Answers with an object, whose first member is {@code name}, once all invalidations so far are
     * durable, and have come as far in the fleet as its answers wait for.
     */
    private void answer(Exchange exchange, String name, long value) {
        var settling = invalidations.settled(Optional.empty()).toCompletableFuture();
        if (settling.isDone()) {
            answer(exchange, name, value, settling.join());
        } else {
            settling.thenAccept(
                    settled -> exchange.onLoop(() -> answer(exchange, name, value, settled)));
        }
    }

    private void answer(Exchange exchange, String name, long value, Settled settled) {
        var members = new LinkedHashMap<String, Object>();
        members.put(name, value);
        settled.fleet().ifPresent(fleet -> members.putAll(fleet.members()));
        switch (settled.durability()) {
            case DURABLE -> {}
            case NOT_DURABLE -> members.put("durable", false);
        }
        int status = settled.isComplete() ? 200 : 202;
        send(exchange, status, JSON, MAPPER.writeValueAsString(members), Fields.EMPTY);
    }

    private void send(Exchange exchange, int status, String type, String text, Fields fields) {
        Answers.fixed(
                exchange, new FixedAnswer(status, type, text.getBytes(UTF_8)), fields, time.wall());
    }
}
