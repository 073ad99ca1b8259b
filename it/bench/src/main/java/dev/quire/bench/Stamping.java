package dev.quire.bench;

import dev.quire.core.http.Stamp;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParsedPage;
import dev.quire.proxy.exchange.OriginRequest.Capabilities;
import dev.quire.proxy.exchange.Stamps;
import java.nio.ByteBuffer;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;

/** What the proxy does for stamps where it asks an origin for a page. One page an operation. */
public class Stamping extends PageBenchmark {
    private static final Stamp STAMP = new Stamp("Zt9-Qw4RfUoB1cXn_Hs2Ea");
    private static final dev.quire.core.parse.Reading STAMPED =
            dev.quire.core.parse.Reading.STANDARD.stamped(STAMP);

    private final List<byte[]> stamped = StampedPages.of(STAMP.text());
    private final List<byte[]> plain = StampedPages.plain();
    private final Capabilities capabilities = new Capabilities("", "quire");
    private int turn;

    /** A stamp drawn, and the field that announces it. */
    @Benchmark
    public String draw() {
        return capabilities.with(Stamps.draw());
    }

    /** A page whose tags run all. */
    @Benchmark
    public ParsedPage parsePlain() {
        return parsed(new EsiParser(dev.quire.core.parse.Reading.STANDARD), plain);
    }

    /** A page of which only stamped tags run. */
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
