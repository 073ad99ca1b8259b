package dev.quire.core.assemble;

import dev.quire.core.expression.PatternAllowance;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.policy.CacheKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a plan as they are read, see {@link PlanOutput}. No length is believed that the rest
 * of the bytes could not hold, and no value nests deeper than {@value #MAX_DEPTH} records.
 */
final class PlanInput {

    /** More than the parser lets blocks and expressions nest: 200 and 100 levels. */
    private static final int MAX_DEPTH = 1_500;

    /**
     * The document whose nodes are being read.
     *
     * @param length of its text, in bytes
     * @param isInline whether another one brings it along: then it must not bring any
     * @param brought the documents it brings along, as far as they have been read
     * @param patterns that may still be compiled
     */
    record Document(
            CacheKey base,
            int length,
            boolean isInline,
            Map<EsiNode.Inline, CompiledPage.Inline> brought,
            PatternAllowance patterns) {

        static Document of(CacheKey base, int length) {
            return new Document(
                    base, length, false, new IdentityHashMap<>(0), new PatternAllowance());
        }

        static Document ofInline(CacheKey base, int length) {
            return new Document(base, length, true, Map.of(), new PatternAllowance());
        }
    }

    private final byte[] bytes;
    private final int end;
    private final List<String> texts = new ArrayList<>();
    private int at;
    private int depth;

    final CompiledPage.Rules rules;
    @Nullable Document document;

    /** Bytes from {@code start} up to {@code end}. */
    PlanInput(byte[] bytes, int start, int end, CompiledPage.Rules rules) {
        this.bytes = bytes;
        this.at = start;
        this.end = end;
        this.rules = rules;
    }

    Document document() {
        if (document == null) {
            throw new IllegalStateException("a node outside of a document");
        }
        return document;
    }

    long number() throws UnreadablePlanException {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            int octet = octet();
            number |= (long) (octet & 0x7F) << shift;
            if (octet < 0x80) {
                return number;
            }
        }
        throw new UnreadablePlanException("a number is too long");
    }

    /** A number from zero to {@code most}. */
    long number(long most) throws UnreadablePlanException {
        long number = number();
        if (number < 0 || number > most) {
            throw new UnreadablePlanException("a number above " + most);
        }
        return number;
    }

    /** A number from zero to {@code most}. */
    int number(int most) throws UnreadablePlanException {
        return (int) number((long) most);
    }

    boolean flag() throws UnreadablePlanException {
        return number(1) == 1;
    }

    /** How many values follow, each of which takes a byte or more. */
    int count() throws UnreadablePlanException {
        long count = number();
        if (count < 0 || count > end - at) {
            throw new UnreadablePlanException("a length above that of the rest");
        }
        return (int) count;
    }

    String text() throws UnreadablePlanException {
        int known = number(texts.size() + 1);
        if (known > 0 && known <= texts.size()) {
            return texts.get(known - 1);
        }
        int length = count();
        String text;
        if (known == 0) {
            text = new String(bytes, at, length, StandardCharsets.ISO_8859_1);
            at += length;
        } else {
            var wide = new StringBuilder(length);
            for (int i = 0; i < length; i++) {
                wide.append((char) number(Character.MAX_VALUE));
            }
            text = wide.toString();
        }
        texts.add(text);
        return text;
    }

    /** A record begins, inside of those that have not ended. */
    void enter() throws UnreadablePlanException {
        if (++depth > MAX_DEPTH) {
            throw new UnreadablePlanException("values nest more than " + MAX_DEPTH + " deep");
        }
    }

    void leave() {
        depth--;
    }

    boolean isAtEnd() {
        return at == end;
    }

    private int octet() throws UnreadablePlanException {
        if (at == end) {
            throw new UnreadablePlanException("the bytes end too early");
        }
        return bytes[at++] & 0xFF;
    }
}
