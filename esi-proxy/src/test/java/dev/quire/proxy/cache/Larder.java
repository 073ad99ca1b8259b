package dev.quire.proxy.cache;

import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.policy.Admission.Decision;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Compression;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.Settings;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.route.EsiProcessing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.Set;

/** A store filled by one thread without a network, in the same way as by the proxy. */
final class Larder implements AutoCloseable {
    private static final long NO_LIMIT = 1L << 40;

    final HandSetTime time = new HandSetTime();
    final InFlightBudget transit = new InFlightBudget(NO_LIMIT);
    final PageStore store;

    private final FetchResources surroundings;
    private boolean remembersHints;
    private final RouteCacheRules rules =
            new RouteCacheRules(
                    Settings.DEFAULT,
                    EsiProcessing.AUTO,
                    new DocumentRules(
                            Set.of("text/html"),
                            ReferenceResolver.OWN_AUTHORITY,
                            8 << 20,
                            256,
                            ParseOptions.STANDARD,
                            false),
                    16 << 20);

    Larder(long maxBytes) {
        store = new PageStore(maxBytes, transit, time::now);
        var heads = new StoredHeads(() -> Compression.ESI);
        surroundings =
                new FetchResources(
                        store,
                        new LowerTiers(store, transit, heads, time),
                        new HitForMiss(Duration.ofMinutes(2), time::now),
                        new RefreshPauses(time::now),
                        transit,
                        heads,
                        time,
                        new CountedEvents());
    }

    /** Remembers links of responses stored later. */
    Larder rememberingHints() {
        remembersHints = true;
        return this;
    }

    /** Stores the response to a GET for {@code target}, which takes a fraction of a second. */
    void store(String target, Fields request, Fields fields, byte[] body) {
        // As from a decoder: no string is shared with another request.
        var asked =
                new RequestHead(
                        "GET",
                        Scheme.HTTP,
                        String.valueOf("www.news.example".toCharArray()),
                        String.valueOf(target.toCharArray()),
                        request);
        var key = CacheKey.of(asked);
        var requestedAt = time.now();
        time.pass(Duration.ofNanos(1_234_567 + target.hashCode() % 1_000));
        var received = new Fields.Builder();
        fields.forEach((name, value) ->
                received.add(
                        String.valueOf(name.toCharArray()), String.valueOf(value.toCharArray())));
        var fetch = store.invalidations().open(asked);
        var admission =
                new ResponseAdmission(key, SentRequest.of(asked), rules, true, surroundings);
        var times = surroundings.timesSince(requestedAt);
        var head = new ResponseHead(200, "OK", received.build());
        var decision = admission.begin(admission.judged(head, null), times, false);
        if (!(decision instanceof Decision.Store)) {
            throw new IllegalStateException("not stored: " + decision);
        }
        ByteBuf data = Unpooled.wrappedBuffer(body);
        require(admission.add(data) == null, "its body is not taken in");
        data.release();
        admission.ended(Runnable::run, failure -> require(failure == null, "it has no end"));
        var response = admission.finish();
        require(
                store.put(response, null, fetch, remembersHints ? asked : null),
                "it is not stored");
        response.release();
        store.invalidations().close(fetch);
    }

    /** The stored response for {@code target}; the caller owns one reference. */
    StoredResponse found(String target, Fields request) {
        var asked = new RequestHead("GET", Scheme.HTTP, "www.news.example", target, request);
        var found = store.find(CacheKey.of(asked), SentRequest.of(asked)::isSelectedBy);
        if (found == null) {
            throw new IllegalStateException("no stored response for " + target);
        }
        return found;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
