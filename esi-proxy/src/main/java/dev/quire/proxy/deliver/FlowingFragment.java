package dev.quire.proxy.deliver;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.FragmentStream;
import dev.quire.core.policy.ClientLifetime;
import io.netty.buffer.ByteBuf;

/** A fragment too large to be buffered: the data received so far, and control over the rest. */
public interface FlowingFragment extends FragmentStream {

    /** The lifetime for clients given by its head. */
    ClientLifetime clientLifetime();

    /** Streams it into {@code sink}: first the data received so far, then the rest. Called once. */
    void flowTo(Sink sink);

    void pause();

    void resume();

    /** Receives the data. On the exchange's loop. */
    interface Sink {
        /** Takes over one reference. */
        void data(ByteBuf data);

        void end();

        void broken(Failure failure);
    }
}
