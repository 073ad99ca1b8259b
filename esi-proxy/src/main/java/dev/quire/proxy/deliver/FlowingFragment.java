package dev.quire.proxy.deliver;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.FragmentStream;
import dev.quire.core.policy.ClientLifetime;
import io.netty.buffer.ByteBuf;

/** A fragment too large to be held: what has arrived of it, and the tap of the rest. */
public interface FlowingFragment extends FragmentStream {

    /** What its head says to clients. */
    ClientLifetime clientLifetime();

    /** Lets it flow into {@code sink}: first what has arrived, then the rest. Once only. */
    void flowTo(Sink sink);

    /** No more for now. */
    void pause();

    /** More again. */
    void resume();

    /** Where it flows. On the exchange's loop. */
    interface Sink {
        /** Takes over one reference. */
        void data(ByteBuf data);

        void end();

        void broken(Failure failure);
    }
}
