package dev.quire.core.assemble;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.policy.CacheKey;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A body that counts its references: one at the start, and never less than zero. */
final class CountedBody implements PartBody {

    private static final CompiledPage.Rules RULES =
            new CompiledPage.Rules(
                    ReferenceResolver.OWN_AUTHORITY, ParseOptions.STANDARD, Integer.MAX_VALUE);

    private final String text;
    private final @Nullable CompiledPage compiled;
    private int status = 200;
    private int references = 1;

    private CountedBody(String text, @Nullable CompiledPage compiled) {
        this.text = text;
        this.compiled = compiled;
    }

    /** A fragment that is not an ESI document. */
    static CountedBody plain(String text) {
        return new CountedBody(text, null);
    }

    /** An ESI document in ASCII at {@code key}. */
    static CountedBody document(CacheKey key, String text) {
        var parser = new EsiParser();
        parser.feed(ByteBuffer.wrap(text.getBytes(ISO_8859_1)));
        return made(text, CompiledPage.of(parser.finish(), key, RULES));
    }

    /** Returns it with its plan written to bytes and read back. */
    CountedBody reread() {
        return compiled == null ? this : made(text, reread(compiled, text.length()));
    }

    /** Returns {@code page}, written to bytes and read back. */
    static CompiledPage reread(CompiledPage page, int textBytes) {
        try {
            return CompiledPageBytes.read(
                    CompiledPageBytes.write(page), page.base(), textBytes, page.rules());
        } catch (UnreadablePlanException e) {
            throw new AssertionError("a plan that was just written cannot be read", e);
        }
    }

    /** Sets the status of its response. */
    CountedBody withStatus(int status) {
        this.status = status;
        return this;
    }

    /** A body that may already be compiled. */
    static CountedBody made(String text, @Nullable CompiledPage compiled) {
        return new CountedBody(text, compiled);
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
    public @Nullable CompiledPage compiled() {
        return compiled;
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public byte[] copy(int start, int end) {
        return text(start, end).getBytes(ISO_8859_1);
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
