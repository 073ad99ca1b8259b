package dev.quire.core.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Properties of every document, with any content and chunking. */
final class CutDocument {

    /** A tag with an unclosed quote is read twice, and a byte takes a state or two. */
    private static final int LARGEST_WORK_PER_BYTE = 6;

    private static final int LARGEST_WORK_APART = 64;

    private final byte[] bytes;
    private final String text;

    CutDocument(byte[] bytes) {
        this.bytes = bytes;
        this.text = new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Parses the document in chunks whose lengths are {@code cuts}, in turn. */
    ParsedPage parse(int... cuts) {
        var parser = new EsiParser();
        int from = 0;
        for (int i = 0; from < bytes.length; i++) {
            int length = cuts.length == 0 ? bytes.length : Math.max(1, cuts[i % cuts.length]);
            int to = Math.min(bytes.length, from + length);
            parser.feed(ByteBuffer.wrap(bytes, from, to - from));
            from = to;
        }
        var page = parser.finish();
        assertThat(parser.work())
                .isLessThanOrEqualTo(
                        (long) LARGEST_WORK_PER_BYTE * bytes.length + LARGEST_WORK_APART);
        return page;
    }

    /** The text of {@code page}, one char for each byte. */
    String text(ParsedPage page) {
        var written = new StringBuilder();
        spans(page.nodes()).forEach(span -> written.append(text, span.start(), span.end()));
        return written.toString();
    }

    /** Text spans are in document order, do not overlap, and contain no tag. */
    void check(ParsedPage page) {
        int end = 0;
        for (var span : spans(page.nodes())) {
            assertThat(span.start()).isGreaterThanOrEqualTo(end);
            assertThat(span.end()).isGreaterThan(span.start()).isLessThanOrEqualTo(bytes.length);
            end = span.end();
            checkNoTag(span);
        }
        for (var diagnostic : page.diagnostics()) {
            assertThat(diagnostic.at().offset()).isBetween(0, bytes.length);
            assertThat(diagnostic.at().line()).isPositive();
            assertThat(diagnostic.at().column()).isPositive();
        }
        assertThat(page.errors()).isGreaterThanOrEqualTo(page.diagnostics().size());
    }

    private void checkNoTag(Span span) {
        if (isVerbatim(span)) {
            return;
        }
        int at = span.start();
        while ((at = text.indexOf('<', at)) >= 0 && at < span.end()) {
            if (opens("<!--esi", at, span)
                    || opens("<esi:", at, span)
                    || opens("</esi:", at, span)) {
                throw new AssertionError("a tag at byte %d is text: %s".formatted(at, excerpt(at)));
            }
            if (opens("<!--", at, span)) {
                at = behind("-->", at + "<!--".length(), span);
            } else if (opens("<![CDATA[", at, span)) {
                at = behind("]]>", at + "<![CDATA[".length(), span);
            } else {
                at++;
            }
        }
    }

    private boolean opens(String opening, int at, Span span) {
        return text.startsWith(opening, at) && at + opening.length() <= span.end();
    }

    private int behind(String closing, int from, Span span) {
        int at = text.indexOf(closing, from);
        return at < 0 ? span.end() : at + closing.length();
    }

    /** Whether it is the content of {@code <esi:text>}. */
    private boolean isVerbatim(Span span) {
        int opening = text.lastIndexOf("<esi:", span.start() - 1);
        return opening >= 0
                && text.startsWith("<esi:text", opening)
                && text.lastIndexOf("</esi:", span.start() - 1) < opening
                && text.charAt(span.start() - 1) == '>';
    }

    private String excerpt(int at) {
        return text.substring(Math.max(0, at - 40), Math.min(text.length(), at + 40));
    }

    private static List<Span> spans(List<EsiNode> nodes) {
        var spans = new ArrayList<Span>();
        add(nodes, spans);
        // An otherwise may precede a when, and an except an attempt.
        spans.sort(Comparator.comparingInt(Span::start));
        return spans;
    }

    private static void add(List<EsiNode> nodes, List<Span> spans) {
        nodes.forEach(node -> add(node, spans));
    }

    private static void add(EsiNode node, List<Span> spans) {
        switch (node) {
            case EsiNode.Text text -> spans.add(text.span());
            case EsiNode.Choose choose -> {
                choose.whens().forEach(when -> add(when.content(), spans));
                add(choose.otherwise(), spans);
            }
            case EsiNode.Try each -> {
                each.attempts().forEach(attempt -> add(attempt, spans));
                each.excepts().forEach(except -> add(except.content(), spans));
            }
            case EsiNode.AssignContent assign -> add(assign.content(), spans);
            case EsiNode.ForEach loop -> add(loop.content(), spans);
            case EsiNode.Function function -> add(function.content(), spans);
            case EsiNode.Region region -> add(region.content(), spans);
            case EsiNode.Literal ignored -> {}
            case EsiNode.Write ignored -> {}
            case EsiNode.Include ignored -> {}
            case EsiNode.Eval ignored -> {}
            case EsiNode.Inline ignored -> {}
            case EsiNode.Assign ignored -> {}
            case EsiNode.Break ignored -> {}
            case EsiNode.Return ignored -> {}
        }
    }
}
