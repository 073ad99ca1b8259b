package dev.quire.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.assemble.Assembler;
import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.assemble.Limits;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * Plans a page of 30 static includes and 10 expressions for one request; all fragments are stored.
 * Includes the look-ups of the 30 fragments, but not writing them.
 */
public class Planning extends PageBenchmark {
    private final HeapBody page = HeapBody.document(document().getBytes(UTF_8));
    private final HeapBody.AtHand source = new HeapBody.AtHand();
    private final Random random = new Random(1);

    /** From the request to the last fragment requested. */
    @Benchmark
    public Assembler<HeapBody> plan() {
        var assembler =
                new Assembler<>(
                        source, new NoPage(), Limits.DEFAULT, ErrorPolicy.OMIT, new Asking(random));
        assembler.start(HeapBody.PAGE, page);
        return assembler;
    }

    private static String document() {
        var html = new StringBuilder("<!DOCTYPE html><html><body>");
        for (int i = 0; i < 30; i++) {
            html.append(
                    "<section>text of the page's own<esi:include src=\"/fragment/" + i + "\"/>");
        }
        for (int i = 0; i < 2; i++) {
            html.append(
                    """
                    <esi:assign name="group" value="$(HTTP_COOKIE{group}|'none')"/>
                    <esi:choose>
                    <esi:when test="$(group) == 'Basic'">basic</esi:when>
                    <esi:when test="$(HTTP_COOKIE{age}) > 18 & $(QUERY_STRING{edition}) has 'ni'">
                    <esi:vars>Good evening in $(HTTP_COOKIE{region}), <b>$upper($(group))</b></esi:vars>
                    </esi:when>
                    </esi:choose>
                    """);
        }
        return html.append("</body></html>").toString();
    }
}
