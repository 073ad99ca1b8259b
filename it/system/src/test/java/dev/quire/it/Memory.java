package dev.quire.it;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.util.stream.Stream;

/** The memory of this JVM, including the proxy's and the test's. In bytes. */
final class Memory {
    private Memory() {}

    /** Returns the heap in use after a collection, plus direct memory. */
    static long used() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() + direct();
    }

    /**
     * Returns the direct memory of Netty's allocators, including free space in their arenas. The
     * JVM's own counter misses some of it, depending on Netty's way of allocating.
     */
    static long direct() {
        return Stream.of(
                        UnpooledByteBufAllocator.DEFAULT,
                        PooledByteBufAllocator.DEFAULT,
                        ByteBufAllocator.DEFAULT)
                .distinct()
                .map(ByteBufAllocatorMetricProvider.class::cast)
                .mapToLong(allocator -> allocator.metric().usedDirectMemory())
                .sum();
    }

    /** Returns the memory of unpooled buffers: stored bodies and constants. */
    static long unpooled() {
        return UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }
}
