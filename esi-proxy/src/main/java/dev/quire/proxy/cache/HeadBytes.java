package dev.quire.proxy.cache;

import dev.quire.core.http.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** Renders the part of a stored response's head that is the same in every answer. */
public interface HeadBytes {

    /**
     * A head ready to write, in memory of its own.
     *
     * @param plain for the body as it is, or the page made of it
     * @param compressed for the same in gzip, without Content-Length; null if it never is
     */
    record Rendered(ByteBuf plain, @Nullable ByteBuf compressed) {

        /** Of what nobody is sent as it is. */
        static final Rendered NONE = new Rendered(Unpooled.EMPTY_BUFFER, null);

        long weightBytes() {
            return plain.capacity() + (compressed == null ? 0L : compressed.capacity());
        }

        Rendered retain() {
            plain.retain();
            if (compressed != null) {
                compressed.retain();
            }
            return this;
        }

        void release() {
            plain.release();
            if (compressed != null) {
                compressed.release();
            }
        }
    }

    /**
     * The bytes.
     *
     * @param lengthBytes of the body
     * @param isPage whether the body is an ESI document, whose length and validators are not those
     *     of the page made of it
     * @param isShared whether others are sent it too: what is one client's own is not compressed
     */
    Rendered render(ResponseHead head, int lengthBytes, boolean isPage, boolean isShared);
}
