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
 * The bytes of a plan as they are read, see {@link PlanOutput}. No length is believed that the rest
 * of the bytes could not hold. What is refused is an {@link IllegalArgumentException}, and an end
 * that is too early a {@link java.nio.BufferUnderflowException}.
 */
final class PlanInput {

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
            PatternAllowance patterns) {}

    private final ByteBuffer bytes;
    private final List<String> texts = new ArrayList<>();

    final CompiledPage.Rules rules;
    @Nullable Document document;

    /** How many records have begun and not ended. */
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

    /** A number from zero to {@code most}. */
    long number(long most) {
        long number = number();
        if (number < 0 || number > most) {
            throw new IllegalArgumentException("a number above " + most);
        }
        return number;
    }

    /** A number from zero to {@code most}. */
    int number(int most) {
        return (int) number((long) most);
    }

    boolean flag() {
        return number(1) == 1;
    }

    /** How many values follow, each of which takes a byte or more. */
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
