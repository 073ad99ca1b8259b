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
 * The cached forms of one body, by the path of their derivation, with the compressed pieces of the
 * body and of each form. Shared by all responses that share the body; each holds a reference, and
 * the forms are released with the last one. Guarded by its own monitor, under which nothing blocks.
 */
final class DerivedForms implements Representations {

    /** Pages use a handful; more would indicate abuse. */
    static final int MAX_FORMS = 16;

    /**
     * One form.
     *
     * @param body null if the derivation has no result
     * @param pieces its compressed pieces
     */
    record Entry(
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

    /** The compressed pieces of the body itself. */
    private final Pieces pieces = new Pieces();

    private final Map<List<DerivedForm>, Entry> entries = new HashMap<>(0);
    private long weightBytes;
    private int references = 1;

    /** Returns the form derived by {@code way}, or null if it is not cached. */
    synchronized @Nullable Entry find(List<DerivedForm> way) {
        return entries.get(way);
    }

    /** Caches {@code shape}, null if the derivation has no result, unless the limit is reached. */
    synchronized boolean keep(List<DerivedForm> way, DerivedForm.@Nullable Content shape) {
        if (references == 0 || entries.size() >= MAX_FORMS || entries.containsKey(way)) {
            return false;
        }
        var form =
                shape == null
                        ? new Entry(null, null, null, new Pieces())
                        : new Entry(
                                copy(shape.bytes()),
                                shape.compiled(),
                                ContentHash.of(shape.bytes()),
                                new Pieces());
        entries.put(List.copyOf(way), form);
        weightBytes += form.weightBytes();
        return true;
    }

    /** Copies of the cached forms, without compressed pieces. */
    synchronized List<byte[]> copies() {
        return entries.values().stream()
                .map(Entry::body)
                .filter(Objects::nonNull)
                .map(ByteBufUtil::getBytes)
                .toList();
    }

    /** Copies of the compressed pieces of the body and of its other forms. */
    synchronized List<byte[]> compressedCopies() {
        return Stream.concat(Stream.of(pieces), entries.values().stream().map(Entry::pieces))
                .flatMap(each -> each.copies().stream())
                .toList();
    }

    @Override
    public Pieces pieces() {
        return pieces;
    }

    synchronized long weightBytes() {
        long sum = Footprint.FORMS_BYTES + weightBytes + pieces.weightBytes();
        for (var form : entries.values()) {
            sum += form.pieces().weightBytes();
        }
        return sum;
    }

    synchronized DerivedForms retain() {
        references++;
        return this;
    }

    synchronized void release() {
        references--;
        if (references == 0) {
            entries.values().forEach(Entry::release);
            entries.clear();
            pieces.release();
        }
    }

    private static ByteBuf copy(byte[] bytes) {
        return UnpooledByteBufAllocator.DEFAULT
                .directBuffer(bytes.length, bytes.length)
                .writeBytes(bytes);
    }
}
