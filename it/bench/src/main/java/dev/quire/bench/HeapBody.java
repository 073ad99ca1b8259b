package dev.quire.bench;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.assemble.PartBody;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.expression.Escape;
import dev.quire.core.http.Scheme;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.policy.CacheKey;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A body on the heap. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HeapBody(byte[] bytes, @Nullable CompiledPage compiled) implements PartBody {

    static final CacheKey PAGE = new CacheKey(Scheme.HTTP, "example.test", "/page");

    private static final int PIECE_BYTES = 16 * 1024;

    /** An ESI document, parsed in pieces of 16 KiB as from a network. */
    static HeapBody document(byte[] bytes) {
        var parser = new EsiParser();
        for (int from = 0; from < bytes.length; from += PIECE_BYTES) {
            parser.feed(ByteBuffer.wrap(bytes, from, Math.min(PIECE_BYTES, bytes.length - from)));
        }
        var rules =
                new CompiledPage.Rules(ReferenceResolver.OWN_AUTHORITY, ParseOptions.STANDARD, 256);
        return new HeapBody(bytes, CompiledPage.of(parser.finish(), PAGE, rules));
    }

    @Override
    public int length() {
        return bytes.length;
    }

    @Override
    public int status() {
        return 200;
    }

    @Override
    public byte[] copy(int start, int end) {
        return Arrays.copyOfRange(bytes, start, end);
    }

    /** A source in which every fragment is stored; all have the same body. */
    static final class AtHand implements FragmentSource<HeapBody> {
        private final HeapBody fragment = new HeapBody(new byte[100], null);

        @Override
        public HeapBody stored(FragmentRequest request) {
            return fragment;
        }

        @Override
        public Fetching fetch(FragmentRequest request, Consumer<FragmentAnswer<HeapBody>> answer) {
            throw new IllegalStateException("every fragment is stored; nothing is fetched");
        }

        @Override
        public HeapBody made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
            return new HeapBody(bytes, compiled);
        }

        @Override
        public HeapBody escaped(HeapBody body, Escape escape) {
            return body;
        }

        @Override
        public void select(HeapBody body, String selector, Consumer<@Nullable HeapBody> answer) {
            throw new UnsupportedOperationException(selector);
        }
    }
}
