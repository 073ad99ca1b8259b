package dev.quire.proxy.memcached;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The reply to one command.
 *
 * @param flags the client flags of the item, if they were asked for
 * @param cas the unique number of the item, if it was asked for
 * @param mark of the request; {@link #ANY} in replies that never repeat it
 * @param value null without one; owned by the receiver
 * @param text of an error
 */
record MetaReply(Kind kind, long flags, long cas, long mark, @Nullable ByteBuf value, String text) {

    static final long ANY = 0;

    /** The mark is absent, though such a reply repeats it. */
    static final long NO_MARK = -1;

    enum Kind {
        /** It was done, or the item is there. */
        DONE,
        /** The item and its value. */
        VALUE,
        /** No such item. */
        MISS,
        /** An item is there already. */
        NOT_STORED,
        /** Another item has taken its place. */
        CHANGED,
        /** This command was not executed. */
        SERVER_ERROR,
        /** The server did not understand: what it does next is not known. */
        ERROR
    }

    MetaReply with(ByteBuf bytes) {
        return new MetaReply(kind, flags, cas, mark, bytes, text);
    }

    boolean isError() {
        return kind == Kind.SERVER_ERROR || kind == Kind.ERROR;
    }

    void release() {
        if (value != null) {
            value.release();
        }
    }
}
