package dev.quire.proxy.cache;

import dev.quire.core.http.ResponseHead;
import io.netty.buffer.ByteBuf;

/** Renders the part of a stored response's head that is the same in every answer. */
public interface HeadBytes {

    /**
     * The bytes, in memory of their own.
     *
     * @param lengthBytes of the body
     * @param isPage whether the body is an ESI document, whose length and validators are not those
     *     of the page made of it
     */
    ByteBuf render(ResponseHead head, int lengthBytes, boolean isPage);
}
