package dev.quire.proxy.memcached;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.memcached.MetaReply.Kind;
import dev.quire.proxy.store.Lease;
import dev.quire.proxy.store.RecordKeys;
import dev.quire.proxy.store.StoreRecords;
import dev.quire.proxy.store.StoreServer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Records on memcached servers. A server that is away has no record, and takes none. */
public final class MemcachedRecords extends StoreRecords<MetaConnection> {

    /*
     * The server has no scripts: what depends on an item is done in two steps, of which the second
     * one fails if the item has changed in between. Then it is tried once more, and at last the item
     * is removed.
     *
     * The client flags of a record say when it was written, for a comparison without its value: 6
     * bits of its generation and 26 bits of its time, in units of 64 ms, which begin again after 49
     * days. So records are kept for 20 days at most, and of two times the later one is known. A
     * record of another generation is not later than any.
     *
     * The lease is an item of its own: the name of the holder, "failed" or "uncacheable".
     */

    private static final Duration LONGEST_KEPT = Duration.ofDays(20);
    private static final int TIME_BITS = 26;
    private static final int UNIT_BITS = 6;
    private static final Duration FAILED_FOR = Duration.ofSeconds(1);
    private static final Duration UNCACHEABLE_FOR = Duration.ofMinutes(2);
    private static final int KIND_AT = 24;
    private static final int VERSION_AT = 40;
    private static final byte[] FAILED = "failed".getBytes(US_ASCII);
    private static final byte[] UNCACHEABLE = "uncacheable".getBytes(US_ASCII);
    private static final int TRIES = 2;

    private final MetaServers servers;

    /**
     * @param generation returns the epoch of the present positions: records of others are not later
     *     than any
     */
    public MemcachedRecords(MetaServers servers, LongSupplier generation) {
        super(servers.settings().namespace(), servers.settings().records(), generation);
        this.servers = servers;
    }

    @Override
    public boolean isUsable() {
        return servers.isUsable();
    }

    @Override
    protected StoreServer<MetaConnection> server(Place place) {
        return servers.of(place.resource());
    }

    @Override
    public void get(Place place, EventLoop loop, Consumer<Answer> then) {
        var key = keys().record(place);
        ask(
                place,
                loop,
                then,
                new MetaRequest().line("mg", key, "v"),
                (replies, connection) -> {
                    var value = replies.first().value();
                    return value == null
                            ? new Absent()
                            : checked(place, key, value, connection, new Absent());
                });
    }

    @Override
    public void lease(Place place, @Nullable Version seen, EventLoop loop, Consumer<Answer> then) {
        var key = keys().record(place);
        var lease = keys().lease(place);
        // The record last: one that was written before the lease is found.
        var request =
                new MetaRequest()
                        .set(lease, forAtLeast(terms().lease()) + " ME", holder())
                        .line("mg", lease, "v c")
                        .line("mg", key, "v");
        ask(
                place,
                loop,
                then,
                request,
                (replies, connection) -> {
                    var present = replies.all().get(1);
                    var name = taken(present);
                    var value = replies.all().get(2).value();
                    boolean isNew = replies.first().kind() == Kind.DONE;
                    if (value != null && isSeen(value, seen)) {
                        value.release();
                        value = null;
                    }
                    if (value == null) {
                        return leased(name, isNew);
                    }
                    if (isNew && Arrays.equals(name, holder())) {
                        connection.send(
                                delete(lease, present.cas()), MetaAnswer::release, () -> {});
                    }
                    return checked(place, key, value, connection, new None(Reason.ERROR));
                });
    }

    /**
     * Returns the term for a lifetime of {@code least}, and up to two seconds more. The server
     * counts whole seconds of its clock: the first of them may end at once.
     */
    private static String forAtLeast(Duration least) {
        return "T" + (least.plusMillis(999).toSeconds() + 1);
    }

    private static boolean isSeen(ByteBuf value, @Nullable Version seen) {
        return seen != null && has(value, VERSION_AT, RecordKeys.bytes(seen));
    }

    /** Whether {@code value} has {@code bytes} at {@code index}. */
    private static boolean has(ByteBuf value, int index, byte[] bytes) {
        return value.readableBytes() >= index + bytes.length
                && Arrays.equals(
                        ByteBufUtil.getBytes(value, value.readerIndex() + index, bytes.length),
                        bytes);
    }

    private Answer leased(byte @Nullable [] name, boolean isNew) {
        return leased(
                isNew || Arrays.equals(name, holder())
                        ? Lease.GRANTED
                        : Arrays.equals(name, FAILED)
                                ? Lease.FAILED
                                : Arrays.equals(name, UNCACHEABLE)
                                        ? Lease.UNCACHEABLE
                                        : Lease.TAKEN);
    }

    /** Returns the value of {@code reply}, which is released; null without one. */
    private static byte @Nullable [] taken(MetaReply reply) {
        var value = reply.value();
        if (value == null) {
            return null;
        }
        try {
            return ByteBufUtil.getBytes(value);
        } finally {
            value.release();
        }
    }

    /** Converts replies to the answer; owns them. */
    private interface Reading {
        Answer of(MetaAnswer.Replies replies, MetaConnection connection);
    }

    private void ask(
            Place place,
            EventLoop loop,
            Consumer<Answer> then,
            MetaRequest request,
            Reading reading) {
        server(place)
                .ask(
                        loop,
                        then,
                        (connection, answered, ended) ->
                                connection.send(
                                        request,
                                        answer ->
                                                answered.accept(
                                                        answer(answer, connection, reading)),
                                        ended));
    }

    private static Answer answer(MetaAnswer given, MetaConnection connection, Reading reading) {
        return switch (given) {
            case MetaAnswer.Replies replies -> reading.of(replies, connection);
            case MetaAnswer.None(var reason, var detail) -> new None(reason);
        };
    }

    @Override
    protected StoreServer.Request<MetaConnection> write(
            Place place, Version version, long keepMillis, ByteBuf record) {
        long seconds = Math.clamp(keepMillis / 1_000, 1, LONGEST_KEPT.toSeconds());
        return new Write(place, version, seconds, record)::begin;
    }

    private static int flags(Version version) {
        return (int) (version.position().epoch() << TIME_BITS)
                | ((int) (version.writtenAtMillis() >>> UNIT_BITS) & ((1 << TIME_BITS) - 1));
    }

    /** Whether the record with the flags {@code there} was written later than {@code ours}. */
    private static boolean isLater(long there, int ours) {
        int other = (int) there;
        int passed = (other - ours) << (Integer.SIZE - TIME_BITS);
        return (other >>> TIME_BITS) == (ours >>> TIME_BITS) && passed > 0;
    }

    private static MetaRequest delete(byte[] key) {
        return new MetaRequest().line("md", key, "");
    }

    private static MetaRequest delete(byte[] key, long cas) {
        return new MetaRequest().line("md", key, "C" + cas);
    }

    /** Several requests for one place, one after the other. On the loop of the connection. */
    private abstract class Steps {
        final Place place;
        final byte[] key;
        final byte[] lease;

        Steps(Place place) {
            this.place = place;
            this.key = keys().record(place);
            this.lease = keys().lease(place);
        }

        /**
         * Sends {@code request}; {@code ended} is run once {@code then} has its replies, unless
         * that has returned true: then there is a further step, which runs it.
         */
        void send(MetaConnection connection, MetaRequest request, Step then, Runnable ended) {
            boolean[] isMore = {false};
            connection.send(
                    request,
                    answer -> {
                        if (answer instanceof MetaAnswer.Replies replies) {
                            isMore[0] = then.take(replies);
                        } else {
                            failed();
                        }
                    },
                    () -> {
                        if (!isMore[0]) {
                            ended.run();
                        }
                    });
        }

        void failed() {}
    }

    /** Takes the replies, and goes on. */
    private interface Step {
        boolean take(MetaAnswer.Replies replies);
    }

    /** Writes one record. */
    private final class Write extends Steps {
        private final int flags;
        private final long seconds;
        private final ByteBuf record;
        private int tries;

        Write(Place place, Version version, long seconds, ByteBuf record) {
            super(place);
            this.flags = flags(version);
            this.seconds = seconds;
            this.record = record;
        }

        void begin(MetaConnection connection, Runnable ended) {
            tries++;
            send(
                    connection,
                    new MetaRequest().line("mg", key, "f c").line("mg", lease, "v c"),
                    replies -> {
                        var present = replies.first();
                        var leased = replies.all().get(1);
                        var name = taken(leased);
                        boolean isOver =
                                Arrays.equals(name, holder())
                                        || Arrays.equals(name, FAILED)
                                        || Arrays.equals(name, UNCACHEABLE);
                        boolean isLater =
                                present.kind() == Kind.DONE && isLater(present.flags(), flags);
                        if (isLater) {
                            counts().add(TierWrite.REPLACED);
                        }
                        if (isLater && !isOver) {
                            return false;
                        }
                        var request = new MetaRequest();
                        if (!isLater) {
                            var mode = present.kind() == Kind.DONE ? "C" + present.cas() : "ME";
                            request.set(
                                    key,
                                    "F"
                                            + Integer.toUnsignedString(flags)
                                            + " T"
                                            + seconds
                                            + " "
                                            + mode,
                                    record,
                                    connection.seal().of(key, record));
                        }
                        if (isOver) {
                            request.line("md", lease, "C" + leased.cas());
                        }
                        send(
                                connection,
                                request,
                                isLater ? done -> false : written(connection, ended),
                                ended);
                        return true;
                    },
                    ended);
        }

        private Step written(MetaConnection connection, Runnable ended) {
            return replies -> {
                if (replies.first().kind() == Kind.DONE) {
                    server(place).writes();
                    counts().add(TierWrite.STORED);
                } else if (tries < TRIES) {
                    begin(connection, ended);
                    return true;
                } else {
                    // The present one may be older.
                    counts().add(TierWrite.REPLACED);
                    connection.send(delete(key), MetaAnswer::release, ended);
                    return true;
                }
                return false;
            };
        }

        @Override
        void failed() {
            counts().add(TierWrite.FAILED);
        }
    }

    @Override
    public void remove(Place place, Version version, @Nullable ListKind kept) {
        tell(place, new Removal(place, flags(version), kept)::begin, () -> {});
    }

    /** Removes one record. */
    private final class Removal extends Steps {
        private final int flags;
        private final @Nullable ListKind kept;
        private int tries;

        Removal(Place place, int flags, @Nullable ListKind kept) {
            super(place);
            this.flags = flags;
            this.kept = kept;
        }

        void begin(MetaConnection connection, Runnable ended) {
            tries++;
            send(
                    connection,
                    new MetaRequest().line("mg", key, kept == null ? "f c" : "f c v"),
                    replies -> {
                        var present = replies.first();
                        boolean isKept = isKept(present);
                        present.release();
                        if (present.kind() == Kind.MISS
                                || isKept
                                || isLater(present.flags(), flags)) {
                            return false;
                        }
                        send(
                                connection,
                                delete(key, present.cas()),
                                removed -> {
                                    boolean isAgain =
                                            removed.first().kind() == Kind.CHANGED && tries < TRIES;
                                    if (isAgain) {
                                        begin(connection, ended);
                                    }
                                    return isAgain;
                                },
                                ended);
                        return true;
                    },
                    ended);
        }

        private boolean isKept(MetaReply present) {
            var value = present.value();
            return kept != null && value != null && has(value, KIND_AT, RecordKeys.bytes(kept));
        }
    }

    @Override
    public void release(Place place, Ending ending) {
        tell(place, new Release(place, ending)::begin, () -> {});
    }

    /** Returns one lease. */
    private final class Release extends Steps {
        private final Ending ending;

        Release(Place place, Ending ending) {
            super(place);
            this.ending = ending;
        }

        void begin(MetaConnection connection, Runnable ended) {
            send(
                    connection,
                    new MetaRequest().line("mg", lease, "v c"),
                    replies -> {
                        var present = replies.first();
                        var name = taken(present);
                        boolean isOurs = Arrays.equals(name, holder());
                        if (name == null ? ending == Ending.NONE : !isOurs) {
                            return false;
                        }
                        send(
                                connection,
                                ending == Ending.NONE
                                        ? delete(lease, present.cas())
                                        : note(isOurs ? "C" + present.cas() : "ME"),
                                noted -> false,
                                ended);
                        return true;
                    },
                    ended);
        }

        private MetaRequest note(String mode) {
            boolean isFailed = ending == Ending.FAILED;
            return new MetaRequest()
                    .set(
                            lease,
                            forAtLeast(isFailed ? FAILED_FOR : UNCACHEABLE_FOR) + " " + mode,
                            isFailed ? FAILED : UNCACHEABLE);
        }
    }

    @Override
    public boolean drop(Place place) {
        return tell(
                place,
                (connection, ended) ->
                        connection.send(delete(keys().record(place)), MetaAnswer::release, ended),
                () -> {});
    }
}
