package dev.quire.core.assemble;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.parse.EsiParser;
import dev.quire.core.policy.CacheKey;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A body that counts its references: one when it is made, and never fewer than none. */
final class CountedBody implements PartBody {
    private final String text;
    private final @Nullable Plan plan;
    private int references = 1;

    private CountedBody(String text, @Nullable Plan plan) {
        this.text = text;
        this.plan = plan;
    }

    /** A fragment that is no ESI document. */
    static CountedBody plain(String text) {
        return new CountedBody(text, null);
    }

    /** An ESI document in ASCII that stands at {@code key}. */
    static CountedBody document(CacheKey key, String text) {
        var parser = new EsiParser();
        parser.feed(ByteBuffer.wrap(text.getBytes(UTF_8)));
        return new CountedBody(
                text,
                Plan.of(parser.finish(), key, ReferenceResolver.OWN_AUTHORITY, Integer.MAX_VALUE));
    }

    int references() {
        return references;
    }

    String text(int start, int end) {
        if (references == 0) {
            throw new IllegalStateException("read after its last release: " + text);
        }
        return text.substring(start, end);
    }

    @Override
    public @Nullable Plan plan() {
        return plan;
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public void release() {
        if (references == 0) {
            throw new IllegalStateException("released too often: " + text);
        }
        references--;
    }
}
