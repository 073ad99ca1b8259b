package dev.quire.it;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;

/** What this JVM holds, the proxy's and the test's own together. In bytes. */
final class Memory {
    private Memory() {}

    /** Heap that is still in use after a collection, and direct memory. */
    static long used() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() + direct();
    }

    /**
     * Direct memory that Netty's allocators hold, free room in their arenas included. Asked of
     * them, because the JVM counts some of it, depending on how it lets Netty allocate.
     */
    static long direct() {
        return unpooled()
                + PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory()
                + (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider arenas
                                && !ByteBufAllocator.DEFAULT.equals(PooledByteBufAllocator.DEFAULT)
                        ? arenas.metric().usedDirectMemory()
                        : 0);
    }

    /** Buffers of exact size: what is stored, and constants. */
    static long unpooled() {
        return UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }
}
