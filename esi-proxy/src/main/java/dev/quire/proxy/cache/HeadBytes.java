package dev.quire.proxy.cache;

import dev.quire.core.http.ResponseHead;

/** Renders the part of a stored response's head that is the same in every answer. */
public interface HeadBytes {

    /**
     * The head as it is kept.
     *
     * @param lengthBytes of the body
     * @param isPage whether the body is an ESI document, whose length and validators are not those
     *     of the page made of it
     * @param isShared whether others are sent it too: what is one client's own is not compressed
     */
    StoredHead render(ResponseHead head, int lengthBytes, boolean isPage, boolean isShared);
}
