package dev.quire.proxy.cache;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.policy.ContentHash;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The other forms that are kept of one body, by the way they were made, and what is compressed of
 * it and of them. Responses that share the body share them too; each holds a reference, and they
 * die with the last. Guarded by its own monitor, under which nothing waits.
 */
final class Forms implements Representations {

    /** An author names a handful; more would be somebody's trick. */
    static final int MAX_FORMS = 16;

    /**
     * One form.
     *
     * @param body null if nothing can be made that way
     * @param pieces what is compressed of it
     */
    record Kept(
            @Nullable ByteBuf body,
            @Nullable CompiledPage compiled,
            @Nullable ContentHash hash,
            Pieces pieces) {
        private long weightBytes() {
            return Footprint.FORM_BYTES
                    + (body == null ? 0 : Footprint.BUFFER_BYTES + body.capacity())
                    + (compiled == null ? 0 : compiled.heapBytes());
        }

        private void release() {
            if (body != null) {
                body.release();
            }
            pieces.release();
        }
    }

    /** What is compressed of the body itself. */
    private final Pieces pieces = new Pieces();

    private final Map<List<Form>, Kept> kept = new HashMap<>(0);
    private long weightBytes;
    private int references = 1;

    /** The form that is made by {@code way}, null if it is not kept. */
    synchronized @Nullable Kept find(List<Form> way) {
        return kept.get(way);
    }

    /** Keeps {@code shape}, null if nothing can be made that way, unless there are enough. */
    synchronized boolean keep(List<Form> way, Form.@Nullable Shape shape) {
        if (references == 0 || kept.size() >= MAX_FORMS || kept.containsKey(way)) {
            return false;
        }
        var form =
                shape == null
                        ? new Kept(null, null, null, new Pieces())
                        : new Kept(
                                copy(shape.bytes()),
                                shape.compiled(),
                                ContentHash.of(shape.bytes()),
                                new Pieces());
        kept.put(List.copyOf(way), form);
        weightBytes += form.weightBytes();
        return true;
    }

    /** Copies of what is kept, but for what is compressed. */
    synchronized List<byte[]> copies() {
        return kept.values().stream()
                .map(Kept::body)
                .filter(Objects::nonNull)
                .map(ByteBufUtil::getBytes)
                .toList();
    }

    /** Copies of what is compressed of the body and of its other forms. */
    synchronized List<byte[]> compressedCopies() {
        return Stream.concat(Stream.of(pieces), kept.values().stream().map(Kept::pieces))
                .flatMap(each -> each.copies().stream())
                .toList();
    }

    @Override
    public Pieces pieces() {
        return pieces;
    }

    synchronized long weightBytes() {
        long sum = Footprint.FORMS_BYTES + weightBytes + pieces.weightBytes();
        for (var form : kept.values()) {
            sum += form.pieces().weightBytes();
        }
        return sum;
    }

    synchronized Forms retain() {
        references++;
        return this;
    }

    synchronized void release() {
        references--;
        if (references == 0) {
            kept.values().forEach(Kept::release);
            kept.clear();
            pieces.release();
        }
    }

    private static ByteBuf copy(byte[] bytes) {
        return UnpooledByteBufAllocator.DEFAULT
                .directBuffer(bytes.length, bytes.length)
                .writeBytes(bytes);
    }
}
