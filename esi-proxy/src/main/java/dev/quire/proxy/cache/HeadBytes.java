package dev.quire.proxy.cache;

import dev.quire.core.http.ResponseHead;

/** Renders the part of a stored response's head that is the same in every response. */
public interface HeadBytes {

    /**
     * Renders the head as it is stored.
     *
     * @param lengthBytes length of the body
     * @param isPage whether the body is an ESI document, whose length and validators are not those
     *     of the assembled page
     * @param isShared whether it may be sent to others: private responses are not compressed
     */
    StoredHead render(ResponseHead head, int lengthBytes, boolean isPage, boolean isShared);
}
