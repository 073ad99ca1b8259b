package dev.quire.bench;

import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParsedPage;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Reading documents, beside a loop that only looks at each byte once. One page an operation. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Reading {
    private final List<byte[]> withTags = NewsPages.withTags();
    private final List<byte[]> withoutTags = NewsPages.withoutTags();
    private int turn;

    /** What the other two are compared with. */
    @Benchmark
    public int count() {
        int found = 0;
        for (byte each : next(withTags)) {
            if (each == '<') {
                found++;
            }
        }
        return found;
    }

    /** The parser on pages of 30 tags. */
    @Benchmark
    public ParsedPage parse() {
        return parsed(next(withTags));
    }

    /** The parser on pages in which it finds nothing. */
    @Benchmark
    public ParsedPage scan() {
        return parsed(next(withoutTags));
    }

    private static ParsedPage parsed(byte[] page) {
        var parser = new EsiParser();
        parser.feed(ByteBuffer.wrap(page));
        return parser.finish();
    }

    private byte[] next(List<byte[]> pages) {
        turn = (turn + 1) % NewsPages.COUNT;
        return pages.get(turn);
    }
}
