package dev.quire.core.assemble;

import dev.quire.core.assemble.Slot.State;
import dev.quire.core.expression.ResponseEdits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the finished parts of one page in document order, for its {@link Assembler}. */
final class PageWriter<B extends PartBody> {

    /*
     * The cursors of the frames form a stack, top first. Writing advances the top one until it
     * reaches a missing part.
     */

    private final Assembler<B> assembler;
    private final PageConsumer<B> consumer;
    private @Nullable Frame<B> top;
    private boolean streaming;
    private boolean amended;

    PageWriter(Assembler<B> assembler, PageConsumer<B> consumer) {
        this.assembler = assembler;
        this.consumer = consumer;
    }

    /** Begins with {@code page}. */
    void begin(Frame<B> page) {
        top = page;
    }

    /** Whether the page is only written after it is complete. */
    boolean holdsPage() {
        return top != null && top.isBuffered;
    }

    /** Whether every fragment at every level has arrived or failed. */
    boolean isComplete() {
        var frame = top;
        while (frame != null && frame.under != null) {
            frame = frame.under;
        }
        return frame == null || frame.isComplete();
    }

    /** Returns the slots of missing fragments. */
    List<Slot<B>> missing() {
        var missing = new ArrayList<Slot<B>>();
        for (var frame = top; frame != null; frame = frame.under) {
            frame.pending(missing);
        }
        return missing;
    }

    /** Whether a flowing fragment is being written. */
    boolean isStreaming() {
        return streaming;
    }

    /** The flowing fragment has been written. */
    void streamed() {
        streaming = false;
    }

    void drop(FetchQueue<B> fetches) {
        var frame = top;
        top = null;
        for (; frame != null; frame = frame.under) {
            frame.drop(fetches);
        }
    }

    /** Advances by one piece; false if the next piece is missing. */
    boolean step() {
        var frame = top;
        if (frame == null) {
            return false;
        }
        if (frame.isBuffered && !isReady(frame)) {
            return false;
        }
        if (frame.owner == null && frame.isBuffered && !amended) {
            return amend(frame);
        }
        if (frame.cursor == frame.opened) {
            if (!frame.isPlanned || frame.opened < frame.size()) {
                return false;
            }
            close(frame);
            return true;
        }
        var slot = frame.slotOrNull(frame.cursor);
        if (slot != null) {
            return step(frame, slot);
        }
        var part = frame.part(frame.cursor++);
        if (part instanceof Plan.Part.Bytes bytes) {
            write(frame, frame.body, bytes.span().start(), bytes.span().end());
        } else if (part instanceof Plan.Part.Text text) {
            consumer.write(FrameText.escaped(text.bytes(), frame.escapes));
        }
        return true;
    }

    private boolean step(Frame<B> frame, Slot<B> slot) {
        if (slot.state == State.PENDING) {
            assembler.fetchOutOfOrder(slot);
            return slot.state != State.PENDING;
        }
        if (slot.state == State.NESTED && slot.nested().isBuffered && !isReady(slot.nested())) {
            return false;
        }
        frame.cursor++;
        switch (slot.state) {
            case WHOLE -> {
                B body = slot.takeBody();
                try {
                    write(frame, body, 0, body.length());
                } finally {
                    body.release();
                }
            }
            case NESTED -> {
                var nested = slot.takeFrame();
                nested.under = frame;
                top = nested;
            }
            case FLOWING -> {
                streaming = true;
                consumer.write(slot.takeStream());
            }
            case OMITTED -> {}
            case PENDING -> throw new IllegalStateException("a pending fragment was skipped");
        }
        return true;
    }

    /** Whether a buffered frame is complete; if not, its first missing part gets its turn. */
    private boolean isReady(Frame<B> frame) {
        var slot = frame.isComplete() ? null : frame.firstPending();
        if (slot != null) {
            assembler.fetchOutOfOrder(slot);
        }
        return frame.isComplete();
    }

    private boolean amend(Frame<B> page) {
        amended = true;
        var edits = page.planner == null ? ResponseEdits.NONE : page.planner.scope().edits();
        consumer.amended(edits, assembler.primaryStatus());
        var body = edits.body();
        if (body != null) {
            consumer.write(body.getBytes(StandardCharsets.ISO_8859_1));
            assembler.finished();
        }
        return body == null;
    }

    private void write(Frame<B> frame, B body, int start, int end) {
        if (frame.escapes.isEmpty()) {
            consumer.write(body, start, end);
        } else {
            consumer.write(FrameText.escaped(body.copy(start, end), frame.escapes));
        }
    }

    private void close(Frame<B> frame) {
        top = frame.under;
        try {
            if (top == null) {
                assembler.finished();
            }
        } finally {
            frame.releaseBody();
        }
    }
}
