package dev.quire.proxy.leaks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Extends Netty's leak detectors to track open buffers and keep their reports. Thread-safe.
 *
 * <p>A detector finds a leak only after the buffer has been garbage-collected. Open buffers are
 * known at once, even if still reachable.
 */
final class OpenBuffers extends ResourceLeakDetectorFactory {

    /** The class and length of read buffers of Lettuce. */
    static final String READER_OF_LETTUCE = "io.lettuce.core.protocol.CommandHandler";

    private static final int READ_BYTES_OF_LETTUCE = 1 << 16;

    /**
     * An open buffer and the test in which it was created.
     *
     * @param isOfLettuce whether a connection to Redis reads into it
     */
    record Opened(
            String test,
            String type,
            long bytes,
            boolean isUnpooled,
            boolean isOfLettuce,
            String trace) {

        /** Created during class initialisation: a constant that is never released. */
        boolean isConstant() {
            return trace.contains("<clinit>(");
        }
    }

    private final Set<Remembered<?>> open = ConcurrentHashMap.newKeySet();
    private final Queue<String> reports = new ConcurrentLinkedQueue<>();
    private volatile String current = "no test";

    /** Attributes buffers opened from now on to {@code test}. */
    void enter(String test) {
        current = test;
    }

    /** All open buffers, including constants. */
    List<Opened> open() {
        return open.stream().map(Remembered::opened).toList();
    }

    /** The reports so far, each with the test during which it was made. */
    List<String> reports() {
        return List.copyOf(reports);
    }

    /** The method that replaces this deprecated one calls it, so it must exist. */
    @Override
    @SuppressWarnings("deprecation")
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
            Class<T> resource, int samplingInterval, long maxActive) {
        return new Remembering<>(resource, samplingInterval);
    }

    private final class Remembering<T> extends ResourceLeakDetector<T> {

        Remembering(Class<T> resource, int samplingInterval) {
            super(resource, samplingInterval);
        }

        @Override
        public @Nullable ResourceLeakTracker<T> track(T resource) {
            return remembered(super.track(resource), resource);
        }

        @Override
        public @Nullable ResourceLeakTracker<T> trackForcibly(T resource) {
            return remembered(super.trackForcibly(resource), resource);
        }

        private @Nullable ResourceLeakTracker<T> remembered(
                @Nullable ResourceLeakTracker<T> tracker, T resource) {
            if (tracker == null) {
                return null;
            }
            var type = resource.getClass().getSimpleName();
            var remembered =
                    resource instanceof ByteBuf buffer
                            ? new Remembered<>(
                                    tracker,
                                    current,
                                    type,
                                    buffer.capacity(),
                                    isUnpooled(buffer),
                                    isOfLettuce(buffer))
                            : new Remembered<>(tracker, current, type, 0, false, false);
            open.add(remembered);
            return remembered;
        }

        private static boolean isUnpooled(ByteBuf buffer) {
            return buffer.isDirect() && buffer.alloc() == UnpooledByteBufAllocator.DEFAULT;
        }

        private static boolean isOfLettuce(ByteBuf buffer) {
            return buffer.capacity() == READ_BYTES_OF_LETTUCE
                    && StackWalker.getInstance()
                            .walk(frames ->
                                    frames.anyMatch(frame ->
                                            frame.getClassName().equals(READER_OF_LETTUCE)));
        }

        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String type, String records) {
            reports.add("a " + type + " was collected unreleased, seen in " + current + records);
            super.reportTracedLeak(type, records);
        }

        @Override
        protected void reportUntracedLeak(String type) {
            reports.add("a " + type + " was collected unreleased, seen in " + current);
            super.reportUntracedLeak(type);
        }
    }

    private final class Remembered<T> implements ResourceLeakTracker<T> {
        private final ResourceLeakTracker<T> tracker;
        private final String test;
        private final String type;
        private final long bytes;
        private final boolean isUnpooled;
        private final boolean isOfLettuce;

        Remembered(
                ResourceLeakTracker<T> tracker,
                String test,
                String type,
                long bytes,
                boolean isUnpooled,
                boolean isOfLettuce) {
            this.tracker = tracker;
            this.test = test;
            this.type = type;
            this.bytes = bytes;
            this.isUnpooled = isUnpooled;
            this.isOfLettuce = isOfLettuce;
        }

        /** Netty's tracker shows where the buffer was created and last accessed. */
        Opened opened() {
            return new Opened(test, type, bytes, isUnpooled, isOfLettuce, tracker.toString());
        }

        @Override
        public void record() {
            tracker.record();
        }

        @Override
        public void record(Object hint) {
            tracker.record(hint);
        }

        @Override
        public boolean close(T resource) {
            open.remove(this);
            return tracker.close(resource);
        }
    }
}
