package dev.quire.proxy.deliver;

import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Compression;
import dev.quire.proxy.cache.HeadBytes;
import dev.quire.proxy.deliver.HeadText.Coding;

/** Renders the heads of stored responses, for each way in which their bodies may be sent. */
public final class StoredHeads implements HeadBytes {
    private final Compression compression;

    /**
     * @param compression what is compressed
     */
    public StoredHeads(Compression compression) {
        this.compression = compression;
    }

    @Override
    public Rendered render(ResponseHead head, int lengthBytes, boolean isPage, boolean isShared) {
        if (!isShared || !compression.mayCompress(head, isPage, lengthBytes)) {
            return new Rendered(
                    HeadText.stored(head, lengthBytes, isPage, Coding.AS_IT_CAME), null);
        }
        return new Rendered(
                HeadText.stored(head, lengthBytes, isPage, Coding.AS_IT_CAME_HERE),
                HeadText.stored(head, lengthBytes, isPage, Coding.GZIP));
    }
}
