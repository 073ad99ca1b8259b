package dev.quire.bench;

import dev.quire.core.http.Stamp;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParsedPage;
import dev.quire.proxy.exchange.OriginRequest.Capabilities;
import dev.quire.proxy.exchange.Stamps;
import java.nio.ByteBuffer;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;

/** The proxy's work for stamps when it fetches a page. One operation is a page. */
public class Stamping extends PageBenchmark {
    private static final Stamp STAMP = new Stamp("Zt9-Qw4RfUoB1cXn_Hs2Ea");
    private static final dev.quire.core.parse.ParseOptions STAMPED =
            dev.quire.core.parse.ParseOptions.STANDARD.stamped(STAMP);

    private final List<byte[]> stamped = StampedPages.of(STAMP.text());
    private final List<byte[]> plain = StampedPages.plain();
    private final Capabilities capabilities = new Capabilities("", "quire");
    private int turn;

    /** Draws a stamp and builds the field that announces it. */
    @Benchmark
    public String draw() {
        return capabilities.with(Stamps.draw());
    }

    /** Parses a page in which all tags are recognised. */
    @Benchmark
    public ParsedPage parsePlain() {
        return parsed(new EsiParser(dev.quire.core.parse.ParseOptions.STANDARD), plain);
    }

    /** Parses a page in which only stamped tags are recognised. */
    @Benchmark
    public ParsedPage parseStamped() {
        return parsed(new EsiParser(STAMPED), stamped);
    }

    private ParsedPage parsed(EsiParser parser, List<byte[]> pages) {
        turn = (turn + 1) % pages.size();
        parser.feed(ByteBuffer.wrap(pages.get(turn)));
        return parser.finish();
    }
}
