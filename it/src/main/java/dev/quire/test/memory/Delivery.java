package dev.quire.test.memory;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.FragmentStream;
import dev.quire.core.assemble.PageConsumer;
import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.parse.Position;
import dev.quire.core.policy.CacheKey;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Takes one assembled page. On the page's thread. */
final class Delivery implements PageConsumer<Kept> {
    private static final byte[] UTF_8_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final Kept page;
    private final AssembledHead head;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private boolean isFinished;
    private boolean isEmpty;
    private @Nullable Failure failure;

    Delivery(Kept page, AssembledHead head) {
        this.page = page;
        this.head = head;
    }

    /** Whether it is whole, or has failed. */
    boolean isOver() {
        return isFinished || failure != null;
    }

    /** Why there is no page; null if there is one. */
    @Nullable Failure failure() {
        return failure;
    }

    byte[] body() {
        return body.toByteArray();
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // The page itself, not one like it.
    public void write(Kept from, int start, int end) {
        var bytes = from.copy(start, end);
        int begin = from != page && start == 0 && isMarked(bytes) ? UTF_8_MARK.length : 0;
        if (begin < bytes.length && !isEmpty) {
            body.write(bytes, begin, bytes.length - begin);
            head.wrote(from, start + begin, end);
        }
    }

    /** A fragment's byte order mark would stand in the middle of the page, as a character. */
    private static boolean isMarked(byte[] bytes) {
        return bytes.length >= UTF_8_MARK.length
                && bytes[0] == UTF_8_MARK[0]
                && bytes[1] == UTF_8_MARK[1]
                && bytes[2] == UTF_8_MARK[2];
    }

    @Override
    public void write(byte[] text) {
        if (text.length > 0 && !isEmpty) {
            body.writeBytes(text);
            head.wrote(text);
        }
    }

    @Override
    public void write(FragmentStream stream) {
        throw new IllegalStateException("every fragment comes whole");
    }

    @Override
    public void joined(Kept fragment) {
        head.joined(fragment);
    }

    @Override
    public void joined(FragmentStream fragment) {
        throw new IllegalStateException("every fragment comes whole");
    }

    @Override
    public void isPersonal() {
        head.isPersonal();
    }

    @Override
    public void omitted(Position include, Failure why) {
        head.omitted();
    }

    @Override
    public void problem(CacheKey document, String what) {}

    @Override
    public void amended(ResponseEdits edits, int status) {
        var amendment = Amendment.of(edits, status);
        head.amended(amendment);
        isEmpty = amendment.status() == 204;
    }

    @Override
    public void failed(Failure why) {
        failure = why;
    }

    @Override
    public void progressed() {}

    @Override
    public void finished() {
        isFinished = true;
    }
}
