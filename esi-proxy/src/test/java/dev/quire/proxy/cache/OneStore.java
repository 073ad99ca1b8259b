package dev.quire.proxy.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A shared store in this process, without times: a lease lasts until it is returned. */
final class OneStore {
    private static final String FAILED = "failed";
    private static final String UNCACHEABLE = "uncacheable";

    private record Entry(SharedRecords.Version version, ByteBuf record) {}

    private final Map<SharedRecords.Place, Entry> entries = new HashMap<>();
    private final Map<SharedRecords.Place, String> leases = new HashMap<>();
    private SharedRecords.@Nullable Reason broken;
    private int questions;
    private boolean isFull;
    private boolean isFaulty;
    private boolean isFaultyAtEnds;
    private Runnable atAnswer = () -> {};

    /** It takes no records. */
    synchronized void fill() {
        isFull = true;
    }

    /** It gives no answers, for {@code reason}; null to mend it. */
    synchronized void breaks(SharedRecords.@Nullable Reason reason) {
        broken = reason;
    }

    /** Each question about a lease throws. */
    synchronized void throwsAtLeases() {
        isFaulty = true;
    }

    /** Each return of a lease throws. */
    synchronized void throwsAtEnds() {
        isFaultyAtEnds = true;
    }

    /** Runs {@code what} after each question, before the answer arrives. */
    synchronized void beforeAnswers(Runnable what) {
        atAnswer = what;
    }

    /** How often it was asked for a record or a lease. */
    synchronized int questions() {
        return questions;
    }

    synchronized int size() {
        return entries.size();
    }

    synchronized boolean isLeased() {
        return !leases.isEmpty();
    }

    /** The leases that are held end by themselves. */
    synchronized void expireLeases() {
        leases.clear();
    }

    /** Changes one byte of each record. */
    synchronized void damage() {
        for (var entry : entries.values()) {
            int at = entry.record().readableBytes() - 8;
            entry.record().setByte(at, entry.record().getByte(at) ^ 1);
        }
    }

    /** Returns it as seen by {@code node}. */
    SharedRecords of(String node) {
        return new Seen(node);
    }

    private final class Seen implements SharedRecords {
        private final String node;

        Seen(String node) {
            this.node = node;
        }

        @Override
        public boolean isUsable() {
            synchronized (OneStore.this) {
                return broken != Reason.CLOSED;
            }
        }

        @Override
        public void get(Place place, EventLoop loop, Consumer<Answer> then) {
            synchronized (OneStore.this) {
                answer(() -> value(place, null), loop, then);
            }
        }

        @Override
        public void lease(
                Place place, @Nullable Version seen, EventLoop loop, Consumer<Answer> then) {
            synchronized (OneStore.this) {
                if (isFaulty) {
                    throw new OutOfMemoryError("expected no more memory");
                }
                answer(() -> leased(place, seen), loop, then);
            }
        }

        private void answer(Supplier<Answer> answer, EventLoop loop, Consumer<Answer> then) {
            questions++;
            // It has obeyed when the time is out.
            var own = broken == null || broken == Reason.TIMEOUT ? answer.get() : null;
            if (broken != null && own instanceof Value(var record)) {
                record.release();
            }
            var given = broken == null ? Objects.requireNonNull(own) : new None(broken);
            loop.execute(atAnswer);
            loop.execute(() -> then.accept(given));
        }

        private Answer value(Place place, @Nullable Version seen) {
            var entry = entries.get(place);
            return entry == null || entry.version().equals(seen)
                    ? new Absent()
                    : new Value(entry.record().copy());
        }

        private Answer leased(Place place, @Nullable Version seen) {
            var value = value(place, seen);
            if (value instanceof Value) {
                return value;
            }
            var holder = leases.putIfAbsent(place, node);
            return switch (holder == null ? node : holder) {
                case FAILED -> new Failed();
                case UNCACHEABLE -> new Uncacheable();
                case String other when !other.equals(node) -> new Taken();
                default -> new Absent();
            };
        }

        @Override
        public void release(Place place, Ending ending) {
            synchronized (OneStore.this) {
                if (isFaultyAtEnds) {
                    throw new OutOfMemoryError("expected no more memory");
                }
                if (leases.remove(place, node)) {
                    switch (ending) {
                        case NONE -> {}
                        case FAILED -> leases.put(place, FAILED);
                        case UNCACHEABLE -> leases.put(place, UNCACHEABLE);
                    }
                }
            }
        }

        @Override
        public boolean put(Place place, Version version, long keepMillis, ByteBuf record) {
            synchronized (OneStore.this) {
                if (isFull) {
                    return false;
                }
                if (broken == null && !isLater(place, version)) {
                    entries.put(place, new Entry(version, Unpooled.copiedBuffer(record)));
                }
                leases.remove(place, node);
                return true;
            }
        }

        @Override
        public void swapped(Place place) {
            corrupt(place);
        }

        @Override
        public void remove(Place place, Version version, @Nullable ListKind kept) {
            synchronized (OneStore.this) {
                if (!isLater(place, version) && !isKept(place, kept)) {
                    entries.remove(place);
                }
            }
        }

        private boolean isKept(Place place, @Nullable ListKind kept) {
            var entry = entries.get(place);
            var spec = entry == null ? null : VarySpec.read(entry.record(), place.resource());
            return spec != null
                    && kept != null
                    && kept.names() == spec.kind().names()
                    && (kept.codings() == null || kept.equals(spec.kind()));
        }

        @Override
        public boolean drop(Place place) {
            synchronized (OneStore.this) {
                entries.remove(place);
                return broken == null;
            }
        }

        private boolean isLater(Place place, Version version) {
            var entry = entries.get(place);
            if (entry == null || entry.version().position().epoch() != version.position().epoch()) {
                return false;
            }
            long there = entry.version().position().number();
            long given = version.position().number();
            return there > given
                    || (there == given
                            && entry.version().writtenAtMillis() > version.writtenAtMillis());
        }

        @Override
        public void corrupt(Place place) {
            synchronized (OneStore.this) {
                entries.remove(place);
            }
        }

        @Override
        public int maxRecordBytes() {
            return 2_000;
        }
    }
}
