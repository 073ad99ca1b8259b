package dev.quire.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.sun.management.ThreadMXBean;
import dev.quire.core.assemble.Assembler;
import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.assemble.Limits;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Documents made to take much time or memory, at two sizes and half of each: almost the proxy's
 * default limit, and 10 MB. Prints the cost of parsing and assembling each, and the ratio of the
 * time for the full size to that for half of it.
 */
public final class HostileDocuments {

    private static final int[] SIZES = {7 << 20, 10_000_000};
    private static final int ROUNDS = 3;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * A document.
     *
     * @param start the beginning
     * @param repeated repeated to fill the rest
     */
    private record Form(String name, String start, String repeated) {
        byte[] document(int bytes) {
            var document = new byte[bytes];
            var first = start.getBytes(ISO_8859_1);
            var next = repeated.getBytes(ISO_8859_1);
            for (int i = 0; i < bytes; i++) {
                document[i] = i < first.length ? first[i] : next[(i - first.length) % next.length];
            }
            return document;
        }
    }

    /** The cost of one document; memory in multiples of its size. */
    private record Cost(double readMillis, double assembledMillis, double made, double kept) {}

    private static final List<Form> FORMS =
            List.of(
                    new Form("nested esi:try", "", "<esi:try>"),
                    new Form("nested esi:choose", "", "<esi:choose><esi:when test='1'>"),
                    new Form("nested esi:vars", "", "<esi:vars>"),
                    new Form("nested loops", "", "<esi:foreach collection='[1..9999]'>a"),
                    new Form("less-than signs", "", "<"),
                    new Form("nested wrappers", "", "<!--esi"),
                    new Form("wrapper of dashes", "<!--esi", "-"),
                    new Form("comment of dashes", "<!--", "-"),
                    new Form("brackets in CDATA", "<![CDATA[", "]"),
                    new Form("one attribute", "<esi:include src=\"", "a"),
                    new Form("unclosed quotes", "", "<esi:include src=\"/a"),
                    new Form("unclosed tags", "", "<esi:"),
                    new Form("attributes", "<esi:include", " a='b'"),
                    new Form("unknown elements", "", "<esi:x>"),
                    new Form("stray end tags", "", "</esi:try>"),
                    new Form("includes", "", "<esi:include src='/a'/>"),
                    new Form("open includes", "", "<esi:include src='/a'> "),
                    new Form("unclosed raw text", "<esi:text>", "</esi:tex"),
                    new Form("unclosed references", "<esi:vars>", "$("),
                    new Form("unclosed calls", "<esi:vars>", "$len("),
                    new Form("references", "<esi:vars>", "$(HTTP_HOST)"),
                    new Form("unclosed strings", "<esi:vars>", "$(a|'"),
                    new Form(
                            "deeply nested tests",
                            "",
                            "<esi:choose><esi:when test='"
                                    + "(".repeat(200)
                                    + "1"
                                    + ")".repeat(200)
                                    + "'>a</esi:when></esi:choose>"),
                    new Form("long assignment", "<esi:assign name='a'>", "a$(a)"),
                    new Form(
                            "doubling strings",
                            "<esi:assign name='a' value=\"'aaaaaaaa'\"/>",
                            "<esi:assign name='a' value='$(a)+$(a)'/>"),
                    new Form(
                            "doubling lists",
                            "<esi:assign name='a' value='[1]'/>",
                            "<esi:assign name='a' value='[$(a),$(a)]'/>"),
                    new Form(
                            "hostile patterns",
                            "",
                            "<esi:choose><esi:when test=\"'"
                                    + "a".repeat(60)
                                    + "' matches '(a+)+$|((a{30}){30}){30}'\">b</esi:when></esi:choose>"),
                    new Form("functions", "", "<esi:function name='f'>a"),
                    new Form("inline documents", "", "<esi:inline name='/a'><esi:vars>"));

    private HostileDocuments() {}

    /** Takes words: runs only forms whose names contain one of them, or all without words. */
    public static void main(String[] arguments) {
        System.out.printf(
                "%-28s %10s %9s %9s %8s %8s %7s%n",
                "", "bytes", "read ms", "write ms", "made x", "kept x", "double");
        for (var form : chosen(arguments)) {
            for (int size : SIZES) {
                cost(form.document(size / 2));
                var half = cost(form.document(size / 2));
                var whole = cost(form.document(size));
                System.out.printf(
                        "%-28s %10d %9.1f %9.1f %8.1f %8.1f %7.1f%n",
                        form.name(),
                        size,
                        whole.readMillis(),
                        whole.assembledMillis(),
                        whole.made(),
                        whole.kept(),
                        (whole.readMillis() + whole.assembledMillis())
                                / (half.readMillis() + half.assembledMillis()));
            }
        }
    }

    private static List<Form> chosen(String[] words) {
        return FORMS.stream()
                .filter(form ->
                        words.length == 0 || Arrays.stream(words).anyMatch(form.name()::contains))
                .toList();
    }

    /** The fastest of some rounds. */
    private static Cost cost(byte[] document) {
        var costs = new Cost[ROUNDS];
        Arrays.setAll(costs, round -> once(document));
        return new Cost(
                Arrays.stream(costs).mapToDouble(Cost::readMillis).min().orElseThrow(),
                Arrays.stream(costs).mapToDouble(Cost::assembledMillis).min().orElseThrow(),
                costs[0].made(),
                costs[0].kept());
    }

    private static Cost once(byte[] document) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        long start = THREADS.getCurrentThreadCpuTime();
        var body = HeapBody.document(document);
        long read = THREADS.getCurrentThreadCpuTime();
        var assembler =
                new Assembler<>(
                        new HeapBody.AtHand(),
                        new NoPage(),
                        Limits.DEFAULT,
                        ErrorPolicy.OMIT,
                        new Asking(new Random(1)));
        assembler.start(HeapBody.PAGE, body);
        assembler.drain();
        long end = THREADS.getCurrentThreadCpuTime();
        long made = THREADS.getCurrentThreadAllocatedBytes() - before;
        var compiled = body.compiled();
        return new Cost(
                (read - start) / 1e6,
                (end - read) / 1e6,
                (double) made / document.length,
                compiled == null ? 0 : (double) compiled.heapBytes() / document.length);
    }
}
