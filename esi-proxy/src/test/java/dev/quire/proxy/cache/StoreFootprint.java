package dev.quire.proxy.cache;

import dev.quire.core.http.Fields;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;
import org.openjdk.jol.info.GraphLayout;

/**
 * Fills stores and prints their memory use, one figure per line: a name, a blank, a number. It is a
 * separate process, because leak detection makes the buffers of a test larger.
 */
final class StoreFootprint {
    /** The overhead of the C library per block, which cannot be queried. */
    private static final long BLOCK_HEADER_BYTES = 16;

    private static final int OBJECTS = 1_000;
    private static final int FIRST_OBJECTS = 10_000;
    private static final int FIRST_BYTES = 32;
    private static final long FIRST_STORE_BYTES = 1 << 20;
    private static final int TINY_OBJECTS = 1_000_000;
    private static final int TINY_BYTES = 32;
    private static final long TINY_STORE_BYTES = 32L << 20;
    private static final int LARGE_OBJECTS = 40;
    private static final int LARGE_BYTES = 16 << 20;
    private static final long LARGE_STORE_BYTES = 128L << 20;

    private StoreFootprint() {}

    public static void main(String[] args) {
        switch (args[0]) {
            case "kinds" -> kinds();
            case "tiny" -> fill(TINY_OBJECTS, TINY_STORE_BYTES, new byte[TINY_BYTES]);
            case "large" -> fill(LARGE_OBJECTS, LARGE_STORE_BYTES, new byte[LARGE_BYTES]);
            default -> throw new IllegalArgumentException("expected kinds, tiny or large");
        }
    }

    private static void kinds() {
        kind("plain", Fields.EMPTY, StoreFootprint::typical, StoreFootprint::text);
        kind(
                "tagged",
                Fields.EMPTY,
                i -> plus(typical(i), "Surrogate-Key", "article-" + i + " author-" + i % 7),
                StoreFootprint::text);
        kind(
                "varying",
                Fields.of("X-Edition", "berlin and its surroundings"),
                i -> plus(typical(i), "Vary", "X-Edition"),
                StoreFootprint::text);
        kind("long", Fields.EMPTY, StoreFootprint::lengthy, StoreFootprint::text);
        kind("page", Fields.EMPTY, StoreFootprint::document, i -> page(i, ""));
        kind(
                "evaluated",
                Fields.EMPTY,
                StoreFootprint::document,
                i ->
                        page(
                                i,
                                "<esi:choose><esi:when test=\"$(HTTP_COOKIE{a})=='b'\">x</esi:when>"
                                        + "<esi:otherwise>$(QUERY_STRING{q}|'none')</esi:otherwise></esi:choose>"));
    }

    /** Typical fields of an application server for a news page. */
    static Fields typical(int i) {
        return Fields.of(
                "Content-Type",
                "text/html;charset=UTF-8",
                "Content-Length",
                "1024",
                "Cache-Control",
                "max-age=60, public",
                "Date",
                "Fri, 20 Nov 2026 11:59:59 GMT",
                "ETag",
                "\"33a64df5514" + i + "\"",
                "Last-Modified",
                "Fri, 20 Nov 2026 10:" + (10 + i % 50) + ":00 GMT",
                "Vary",
                "Accept-Encoding",
                "X-Request-Id",
                "8f14e45fceea" + (10_000_000 + i));
    }

    private static Fields document(int i) {
        return plus(typical(i), "Surrogate-Control", "content=\"ESI/1.0\"");
    }

    private static Fields lengthy(int i) {
        var fields = new Fields.Builder().addAll(typical(i));
        for (int line = 0; line < 20; line++) {
            fields.add("X-Line-" + line, "l".repeat(50 * line) + i);
        }
        return fields.build();
    }

    private static Fields plus(Fields fields, String name, String value) {
        return new Fields.Builder().addAll(fields).add(name, value).build();
    }

    private static byte[] text(int i) {
        return ("x".repeat(1_014) + (1_000_000_000 + i)).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] page(int i, String more) {
        var page = new StringBuilder("<html>");
        for (int include = 0; include < 10; include++) {
            page.append("<p>teaser</p><esi:include src=\"/f/")
                    .append(i)
                    .append('/')
                    .append(include)
                    .append("\"/>")
                    .append(more);
        }
        return page.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** The size of each of many equal objects, by the store's own weight and as measured. */
    private static void kind(
            String name, Fields request, IntFunction<Fields> head, IntFunction<byte[]> body) {
        try (var larder = new Larder(1L << 40)) {
            larder.store("/first", request, head.apply(0), body.apply(0));
            long heapBefore = GraphLayout.parseInstance(larder.store).totalSize();
            long directBefore = directBytes();
            long weightBefore = larder.store.weightBytes();
            long textBytes = 0;
            long bodyBytes = 0;
            for (int i = 0; i < OBJECTS; i++) {
                var fields = head.apply(i);
                var bytes = body.apply(i);
                larder.store(target(i), request, fields, bytes);
                var chars = new int[1];
                fields.forEach((field, value) -> chars[0] += field.length() + value.length());
                textBytes += chars[0];
                bodyBytes += bytes.length;
            }
            long heap = GraphLayout.parseInstance(larder.store).totalSize() - heapBefore;
            long direct = directBytes() - directBefore + BLOCK_HEADER_BYTES * OBJECTS;
            tell(name + ".heap", heap / OBJECTS);
            tell(name + ".direct", direct / OBJECTS);
            tell(name + ".fields", textBytes / OBJECTS);
            tell(name + ".body", bodyBytes / OBJECTS);
            tell(name + ".weight", (larder.store.weightBytes() - weightBefore) / OBJECTS);
        }
    }

    private static void fill(int objects, long storeBytes, byte[] body) {
        // Initialises everything needed once before measuring: classes, lambdas, and the machinery
        // of eviction.
        try (var larder = new Larder(FIRST_STORE_BYTES)) {
            for (int i = 0; i < FIRST_OBJECTS; i++) {
                larder.store(target(i), Fields.EMPTY, typical(i), new byte[FIRST_BYTES]);
            }
        }
        long heapBefore = heapBytes();
        long directBefore = directBytes();
        try (var larder = new Larder(storeBytes)) {
            for (int i = 0; i < objects; i++) {
                larder.store(target(i), Fields.EMPTY, typical(i), body);
            }
            tell("heap", heapBytes() - heapBefore);
            tell("direct", directBytes() - directBefore + BLOCK_HEADER_BYTES * larder.store.size());
            tell("transit", larder.transit.usedBytes());
            tell("weight", larder.store.weightBytes());
            tell("objects", larder.store.size());
            tell("bound", storeBytes);
        }
        tell("left", directBytes() - directBefore);
    }

    private static String target(int i) {
        return "/news/politics/article-" + (1_000_000 + i) + ".html";
    }

    private static long heapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long directBytes() {
        return UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }

    private static void tell(String name, long figure) {
        System.out.println(name + " " + figure);
    }
}
