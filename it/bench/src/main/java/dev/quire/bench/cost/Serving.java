package dev.quire.bench.cost;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Whole requests for stored responses through the proxy's handlers, from the bytes of the request
 * to the buffers to write; without a socket, so without the kernel's part.
 */
public class Serving extends HitBenchmark {
    private @Nullable Site site;
    private @Nullable Embedded hit;
    private @Nullable Embedded ruled;
    private @Nullable Embedded page;
    private @Nullable Embedded gzip;

    /** Stores all responses, including the compressed forms. */
    @Setup(Level.Trial)
    public void fill() throws IOException {
        var started = Site.start();
        site = started;
        hit = Embedded.asking(started, Asked.HIT);
        ruled = Embedded.asking(started, Asked.RULED);
        page = Embedded.asking(started, Asked.PAGE);
        gzip = Embedded.asking(started, Asked.GZIP);
    }

    @TearDown(Level.Trial)
    public void close() {
        for (var connection : new @Nullable Embedded[] {hit, ruled, page, gzip}) {
            if (connection != null) {
                connection.close();
            }
        }
        if (site != null) {
            site.close();
        }
    }

    /** An object of 1 KiB. */
    @Benchmark
    public long hit() {
        return ask(hit);
    }

    /** The same behind ten rules that do not match. */
    @Benchmark
    public long hitBehindRules() {
        return ask(ruled);
    }

    /** A page of 16 KiB and ten fragments of 1 KiB. */
    @Benchmark
    public long stitch() {
        return ask(page);
    }

    /** The same in gzip. */
    @Benchmark
    public long stitchGzip() {
        return ask(gzip);
    }

    private static long ask(@Nullable Embedded connection) {
        if (connection == null) {
            throw new IllegalStateException("setup did not run before the benchmark");
        }
        return connection.ask();
    }
}
