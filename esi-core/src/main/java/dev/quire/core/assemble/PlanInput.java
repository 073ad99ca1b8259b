package dev.quire.core.assemble;

import dev.quire.core.expression.PatternAllowance;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.policy.CacheKey;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the bytes of a plan, see {@link PlanOutput}. A length beyond the remaining bytes is
 * rejected. Malformed values throw {@link IllegalArgumentException}, a premature end {@link
 * java.nio.BufferUnderflowException}.
 */
final class PlanInput {

    /**
     * The document whose nodes are being read.
     *
     * @param length of its text, in bytes
     * @param isInline whether it is contained in another document: then it must not contain any
     * @param brought its inline documents read so far
     * @param patterns the remaining budget for compiled patterns
     */
    record Document(
            CacheKey base,
            int length,
            boolean isInline,
            Map<EsiNode.Inline, CompiledPage.Inline> brought,
            PatternAllowance patterns) {}

    private final ByteBuffer bytes;
    private final List<String> texts = new ArrayList<>();

    final CompiledPage.Rules rules;
    @Nullable Document document;

    /** The nesting depth of the current record. */
    int depth;

    PlanInput(ByteBuffer bytes, CompiledPage.Rules rules) {
        this.bytes = bytes;
        this.rules = rules;
    }

    Document document() {
        if (document == null) {
            throw new IllegalStateException("a node outside of a document");
        }
        return document;
    }

    long number() {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte octet = bytes.get();
            number |= (long) (octet & 0x7F) << shift;
            if (octet >= 0) {
                return number;
            }
        }
        throw new IllegalArgumentException("a number is too long");
    }

    /** Returns a number from zero to {@code most}. */
    long number(long most) {
        long number = number();
        if (number < 0 || number > most) {
            throw new IllegalArgumentException("a number above " + most);
        }
        return number;
    }

    /** Returns a number from zero to {@code most}. */
    int number(int most) {
        return (int) number((long) most);
    }

    boolean flag() {
        return number(1) == 1;
    }

    /** Returns the number of values that follow, each of at least one byte. */
    int count() {
        return number(bytes.remaining());
    }

    String text() {
        int known = number(texts.size());
        if (known > 0) {
            return texts.get(known - 1);
        }
        var chars = new char[count()];
        for (int i = 0; i < chars.length; i++) {
            chars[i] = (char) number(Character.MAX_VALUE);
        }
        var text = new String(chars);
        texts.add(text);
        return text;
    }
}
