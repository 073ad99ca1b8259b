package dev.quire.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.CompiledPageBytes;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.assemble.UnreadablePlanException;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParseOptions;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * Makes a page of ten fragments usable that was stored outside the process: from its text and its
 * plan, or from its source. Both end with the text and the compiled page; neither reads from a
 * disk.
 */
public class Restoring extends PageBenchmark {
    private static final int FRAGMENTS = 10;
    private static final CompiledPage.Rules RULES =
            new CompiledPage.Rules(ReferenceResolver.OWN_AUTHORITY, ParseOptions.STANDARD, 256);

    private final byte[] source = source();
    private final byte[] text = parsed(source).text();
    private final byte[] plan = CompiledPageBytes.write(parsed(source).page());

    /** A document as it is stored. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Stored(byte[] text, CompiledPage page) {}

    /** Copies the text and reads the plan. */
    @Benchmark
    public Object readPlan() throws UnreadablePlanException {
        var copy = text.clone();
        return new Stored(copy, CompiledPageBytes.read(plan, HeapBody.PAGE, copy.length, RULES));
    }

    /** Parses the source, copies its text and compiles it. */
    @Benchmark
    public Object parseSource() {
        return parsed(source);
    }

    /** Returns the lengths of both forms. */
    static String lengths() {
        var page = new Restoring();
        return "%d bytes of text and %d of the plan, or %d of the source"
                .formatted(page.text.length, page.plan.length, page.source.length);
    }

    private static Stored parsed(byte[] source) {
        var parser = new EsiParser();
        parser.feed(ByteBuffer.wrap(source));
        var page = parser.finish();
        var text = new ByteArrayOutputStream(page.textBytes());
        page.forEachText(span -> text.write(source, span.start(), span.length()));
        return new Stored(
                text.toByteArray(), CompiledPage.of(page.ofTextAlone(), HeapBody.PAGE, RULES));
    }

    /** The beginning of a page, up to its tenth tag. */
    private static byte[] source() {
        var page = new String(NewsPages.withTags().getFirst(), ISO_8859_1);
        int end = 0;
        for (int i = 0; i < FRAGMENTS; i++) {
            end = page.indexOf("/>", page.indexOf("<esi:include", end)) + 2;
        }
        return page.substring(0, end).getBytes(ISO_8859_1);
    }
}
