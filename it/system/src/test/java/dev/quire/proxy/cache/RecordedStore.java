package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.Time;
import java.util.ArrayList;
import java.util.Objects;

/** Replaces all responses of a store by what is read from their records. */
public final class RecordedStore {
    private static final RecordHash ROUTE = new RecordHash(1, 2);
    private static final long EPOCH = 3;

    private final PageStore store;
    private final RecordCodec codec;

    /**
     * @param heads as those of the store
     */
    public RecordedStore(PageStore store, HeadBytes heads, Time time) {
        this.store = store;
        this.codec =
                new RecordCodec(
                        heads,
                        time,
                        position ->
                                position.epoch() == EPOCH
                                        ? position.number()
                                        : RecordCodec.Orders.UNKNOWN);
    }

    /** Returns the number of responses, each of which was written, read and stored again. */
    public int replaceAll() {
        var all = new ArrayList<StoredResponse>();
        store.forEach(response -> {
            if (response.tryRetain()) {
                all.add(response);
            }
        });
        all.forEach(this::replace);
        return all.size();
    }

    private void replace(StoredResponse stored) {
        var key = RecordKey.of(stored.key(), ROUTE);
        var record = codec.write(stored, key, new RecordPosition(EPOCH, stored.testedUpTo()));
        var request = requestFor(stored);
        var parsing = Objects.requireNonNull(stored.content().traits().parsing());
        var reading =
                codec.read(record, new RecordCodec.Wanted(key, SentRequest.of(request), parsing));
        record.release();
        if (!(reading instanceof RecordCodec.Found(var read, var bodyAt, var bytes))) {
            throw new AssertionError("cannot read the record of " + key + ": " + reading);
        }
        var fetch = store.invalidations().open(request);
        assertThat(store.put(read, null, fetch, null)).isTrue();
        store.invalidations().close(fetch);
        assertThat(stored.isInStore()).isFalse();
        assertThat(read.isStored()).isTrue();
        assertThat(read.text()).hasToString(stored.text().toString());
        stored.release();
        read.release();
    }

    /** A request with the values that selected {@code stored}. */
    private static RequestHead requestFor(StoredResponse stored) {
        var fields = new Fields.Builder();
        for (var field : stored.selecting().fields()) {
            if (field.value() != null) {
                fields.add(field.name(), field.value());
            }
        }
        var key = stored.key();
        return new RequestHead("GET", key.scheme(), key.authority(), key.target(), fields.build());
    }
}
