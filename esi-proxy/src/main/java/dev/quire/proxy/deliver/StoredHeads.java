package dev.quire.proxy.deliver;

import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Compression;
import dev.quire.proxy.cache.HeadBytes;
import dev.quire.proxy.cache.StoredHead;
import java.util.function.Supplier;

/** Renders the heads of stored responses, for each way in which their bodies may be sent. */
public final class StoredHeads implements HeadBytes {
    private final Supplier<Compression> compression;

    /**
     * @param compression decides which responses are compressible; may change
     */
    public StoredHeads(Supplier<Compression> compression) {
        this.compression = compression;
    }

    @Override
    public StoredHead render(ResponseHead head, int lengthBytes, boolean isPage, boolean isShared) {
        return HeadText.kept(
                head,
                lengthBytes,
                isPage,
                isShared && compression.get().mayCompress(head, isPage, lengthBytes));
    }
}
