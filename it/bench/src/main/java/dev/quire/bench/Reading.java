package dev.quire.bench;

import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParsedPage;
import java.nio.ByteBuffer;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;

/** Parses documents, compared with a loop that looks at each byte once. One operation is a page. */
public class Reading extends PageBenchmark {
    private final List<byte[]> withTags = NewsPages.withTags();
    private final List<byte[]> withoutTags = NewsPages.withoutTags();
    private int turn;

    /** The baseline: counts {@code <}. */
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

    /** The parser on pages without tags. */
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
