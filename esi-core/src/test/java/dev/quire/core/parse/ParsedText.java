package dev.quire.core.parse;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;

/**
 * A document with the result of parsing it.
 *
 * @param document one char for each byte
 */
record ParsedText(String document, ParsedPage page, long work) {

    /** Parses {@code document} in chunks of at most {@code piece} bytes. */
    static ParsedText parse(byte[] document, int piece) {
        return parse(document, piece, ParseOptions.STANDARD);
    }

    static ParsedText parse(byte[] document, int piece, ParseOptions reading) {
        var parser = new EsiParser(reading);
        for (int from = 0; from < document.length; from += piece) {
            int length = Math.min(piece, document.length - from);
            var chunk = ByteBuffer.wrap(document, from, length);
            parser.feed(chunk);
            if (chunk.hasRemaining()) {
                throw new IllegalStateException(chunk.remaining() + " bytes were not consumed");
            }
            if (length < piece) {
                break;
            }
        }
        return new ParsedText(new String(document, ISO_8859_1), parser.finish(), parser.work());
    }

    static ParsedText parse(String document, int piece) {
        return parse(document.getBytes(UTF_8), piece);
    }

    /** Returns the page as {@link RenderedNodes} prints it. */
    String output() {
        return new RenderedNodes(document).of(page.nodes());
    }

    /** Each diagnostic as {@code line:column offset what -> instead}. */
    String diagnostics() {
        var lines = new StringBuilder();
        for (var each : page.diagnostics()) {
            lines.append(each.at())
                    .append(" @")
                    .append(each.at().offset())
                    .append(' ')
                    .append(each.what())
                    .append(" -> ")
                    .append(each.instead())
                    .append('\n');
        }
        return lines.toString();
    }

    static ParsedText parse(String document, int piece, ParseOptions reading) {
        return parse(document.getBytes(UTF_8), piece, reading);
    }
}
