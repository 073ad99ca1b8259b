package dev.quire.proxy.listen;

import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.FileRegion;
import io.netty.channel.MessageSizeEstimator;

/**
 * The bytes that a client still has to take. Netty does not count those in files: then a client
 * would seem idle while it receives them.
 */
final class OutgoingSize implements MessageSizeEstimator.Handle {
    private static final OutgoingSize HANDLE = new OutgoingSize();

    static final MessageSizeEstimator ESTIMATOR = () -> HANDLE;

    private final MessageSizeEstimator.Handle others =
            DefaultMessageSizeEstimator.DEFAULT.newHandle();

    private OutgoingSize() {}

    @Override
    public int size(Object message) {
        return message instanceof FileRegion file
                ? (int) Math.min(Integer.MAX_VALUE, file.count())
                : others.size(message);
    }
}
