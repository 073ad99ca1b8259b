package dev.quire.core.assemble;

import dev.quire.core.expression.Escape;
import java.util.ArrayList;
import java.util.List;

/** The text of a complete frame, if it is processed further instead of written. */
final class FrameText {

    private FrameText() {}

    /** Returns the length of the text before it is escaped, counting repetitions in loops. */
    static <B extends PartBody> long length(Frame<B> frame) {
        long length = 0;
        for (int i = 0; i < frame.size(); i++) {
            var slot = frame.slotOrNull(i);
            if (slot == null) {
                length +=
                        switch (frame.part(i)) {
                            case Plan.Part.Bytes(var span) -> span.length();
                            case Plan.Part.Text(var text) -> text.length();
                            case Plan.Part.Fragment ignored -> 0;
                            case Plan.Part.Evaluated ignored -> 0;
                            case Plan.Part.Attempt ignored -> 0;
                            case Plan.Part.Replaced ignored -> 0;
                            case Plan.Part.Inline ignored -> 0;
                        };
            } else if (slot.state == Slot.State.NESTED) {
                length += length(slot.nested());
            } else if (slot.state == Slot.State.WHOLE) {
                length += slot.body().length();
            }
        }
        return length;
    }

    /** Returns the text; the frame's fragments are removed from their slots and released. */
    static <B extends PartBody> byte[] take(Frame<B> frame) {
        var chunks = new ArrayList<byte[]>();
        collect(frame, chunks);
        int length = 0;
        for (var chunk : chunks) {
            length += chunk.length;
        }
        var bytes = new byte[length];
        int at = 0;
        for (var chunk : chunks) {
            System.arraycopy(chunk, 0, bytes, at, chunk.length);
            at += chunk.length;
        }
        return bytes;
    }

    /** Applies all escapes to {@code bytes}, one after the other. */
    static byte[] escaped(byte[] bytes, List<Escape> escapes) {
        var escaped = bytes;
        for (var escape : escapes) {
            escaped = escape.applied(escaped);
        }
        return escaped;
    }

    private static <B extends PartBody> void collect(Frame<B> frame, List<byte[]> chunks) {
        for (int i = 0; i < frame.size(); i++) {
            var slot = frame.slotOrNull(i);
            if (slot == null) {
                if (frame.part(i) instanceof Plan.Part.Bytes bytes) {
                    var copy = frame.body.copy(bytes.span().start(), bytes.span().end());
                    chunks.add(escaped(copy, frame.escapes));
                } else if (frame.part(i) instanceof Plan.Part.Text text) {
                    chunks.add(escaped(text.bytes(), frame.escapes));
                }
                continue;
            }
            switch (slot.state) {
                case WHOLE -> {
                    B body = slot.takeBody();
                    chunks.add(escaped(body.copy(0, body.length()), frame.escapes));
                    body.release();
                }
                case NESTED -> collect(slot.nested(), chunks);
                case OMITTED -> {}
                case FLOWING, PENDING ->
                        throw new IllegalStateException("a complete frame has a pending slot");
            }
        }
    }
}
