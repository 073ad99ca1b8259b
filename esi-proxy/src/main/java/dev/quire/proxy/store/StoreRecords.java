package dev.quire.proxy.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.cache.SharedRecords;
import dev.quire.proxy.cache.TierWrite;
import io.netty.buffer.ByteBuf;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.LongSupplier;

/** Records in a store of any kind: which are written, and what is an answer. */
public abstract class StoreRecords<C extends ServerConnection> implements SharedRecords {
    private static final int HOLDER_BYTES = 8;

    private final RecordKeys keys;
    private final RecordTerms terms;
    private final LongSupplier epoch;
    private final byte[] holder = holderOfThisProcess();
    private final StoreCounts counts = new StoreCounts();

    /**
     * @param namespace begins all keys
     * @param epoch returns that of the present positions: records of others are not later than any
     */
    protected StoreRecords(String namespace, RecordTerms terms, LongSupplier epoch) {
        this.keys = new RecordKeys(namespace);
        this.terms = terms;
        this.epoch = epoch;
    }

    private static byte[] holderOfThisProcess() {
        var random = new byte[HOLDER_BYTES];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random).getBytes(US_ASCII);
    }

    /** The name by which this process holds leases: 64 random bits in hexadecimal digits. */
    public final String holderName() {
        return new String(holder, US_ASCII);
    }

    public final long count(TierWrite outcome) {
        return counts.of(outcome);
    }

    public final long count(Lease outcome) {
        return counts.of(outcome);
    }

    /** The number of values that were not records of their keys. */
    public final long corrupt() {
        return counts.corrupt();
    }

    @Override
    public final int maxRecordBytes() {
        return terms.maxBytes();
    }

    protected final RecordKeys keys() {
        return keys;
    }

    protected final RecordTerms terms() {
        return terms;
    }

    protected final byte[] holder() {
        return holder;
    }

    protected final StoreCounts counts() {
        return counts;
    }

    protected final long epoch() {
        return epoch.getAsLong();
    }

    /** The server that has the record at {@code place}. */
    protected abstract StoreServer<C> server(Place place);

    /**
     * Sends {@code request} for {@code place} later. Returns whether it is sent; if not, {@code
     * ended} was run.
     */
    protected final boolean tell(Place place, StoreServer.Request<C> request, Runnable ended) {
        var server = server(place);
        // Requests for one place stay in order.
        return server.tell(server.any(place.hashCode()), request, ended);
    }

    /** Returns the answer to a request for a lease if there is no record, and counts it. */
    protected final Answer leased(Lease lease) {
        counts.add(lease);
        return switch (lease) {
            case GRANTED -> new Absent();
            case TAKEN -> new Taken();
            case FAILED -> new Failed();
            case UNCACHEABLE -> new Uncacheable();
        };
    }

    /**
     * Returns the record in {@code bytes}; if they are not sealed with this key, {@code other}.
     *
     * @param connection which has received them
     */
    protected final Answer checked(
            Place place, byte[] key, ByteBuf bytes, C connection, Answer other) {
        if (bytes.readableBytes() <= terms.valueBytes()
                && connection.seal().isRemovedFrom(key, bytes)) {
            return new Value(bytes);
        }
        bytes.release();
        corrupt(place);
        return other;
    }

    @Override
    public final void corrupt(Place place) {
        counts.addCorrupt();
        drop(place);
    }

    @Override
    public final void swapped(Place place) {
        corrupt(place);
        server(place).reset();
    }

    @Override
    public final boolean put(Place place, Version version, long keepMillis, ByteBuf record) {
        long bytes = record.readableBytes();
        if (bytes > terms.maxBytes()) {
            counts.add(TierWrite.REFUSED);
            return false;
        }
        if (version.position().epoch() != epoch()) {
            counts.add(TierWrite.REPLACED);
            return false;
        }
        var queue = server(place).queue();
        if (!queue.isAdmitted(bytes)) {
            counts.add(TierWrite.DROPPED);
            return false;
        }
        var retained = record.retainedSlice();
        boolean isSent =
                tell(
                        place,
                        write(
                                place,
                                version,
                                Math.min(keepMillis, terms.maxTtl().toMillis()),
                                retained),
                        () -> {
                            retained.release();
                            queue.written(bytes);
                        });
        if (!isSent) {
            counts.add(TierWrite.DROPPED);
        }
        return isSent;
    }

    /**
     * Returns the request that writes {@code record}, as {@link #put} says, and counts the outcome.
     *
     * @param record owned by the caller until the request has ended
     */
    protected abstract StoreServer.Request<C> write(
            Place place, Version version, long keepMillis, ByteBuf record);
}
