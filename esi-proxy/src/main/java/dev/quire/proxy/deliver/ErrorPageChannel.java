package dev.quire.proxy.deliver;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.Gathering;
import dev.quire.proxy.exchange.ResponseChannel;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Sends the operator's page with the status of an error. Any response but a 200 is dropped: the
 * page cannot be used.
 */
public final class ErrorPageChannel extends HeadCollector {

    private enum State {
        /** No head yet. */
        WAITING,
        /** The page is being sent. */
        SENDING,
        /** All writes are dropped. */
        UNUSABLE
    }

    private final ErrorPage error;

    /** Does nothing once the page is being sent: that needs no configuration. */
    private Runnable unusable;

    private State state = State.WAITING;

    /**
     * @param unusable run if the page cannot be used; not to write to this channel
     */
    public ErrorPageChannel(ResponseChannel to, ErrorPage error, Runnable unusable) {
        super(to);
        this.error = error;
        this.unusable = unusable;
    }

    /** Whether the page may still turn out to be unusable. */
    public boolean isWaiting() {
        return state == State.WAITING;
    }

    /** Drops what is written from now on, unless the page is being sent. */
    public void drop() {
        if (state == State.WAITING) {
            state = State.UNUSABLE;
        }
    }

    @Override
    void send(ResponseHead head, @Nullable ResponseHead from, boolean isLengthKnown) {
        if (state != State.WAITING) {
            return;
        }
        if (head.status() != 200) {
            cannotBeUsed();
            return;
        }
        state = State.SENDING;
        unusable = () -> {};
        var out = to().head(error.status());
        error.in(head.fields()).forEach(out::line);
        to().endHead(isLengthKnown);
    }

    private void cannotBeUsed() {
        state = State.UNUSABLE;
        unusable.run();
    }

    @Override
    public void interim(ResponseHead head) {
        // It belongs to the request for the page.
    }

    @Override
    public void body(ByteBuf data) {
        if (isDropped()) {
            data.release();
        } else {
            super.body(data);
        }
    }

    @Override
    public void body(ByteBuf data, Runnable gone) {
        if (isDropped()) {
            data.release();
            gone.run();
        } else {
            super.body(data, gone);
        }
    }

    @Override
    public void body(ByteBuf from, int index, int length) {
        if (!isDropped()) {
            super.body(from, index, length);
        }
    }

    @Override
    public void body(Gathering parts) {
        if (isDropped()) {
            parts.drop();
        } else {
            super.body(parts);
        }
    }

    @Override
    public void whenGone(Runnable gone) {
        if (isDropped()) {
            gone.run();
        } else {
            super.whenGone(gone);
        }
    }

    @Override
    public void flush() {
        if (!isDropped()) {
            super.flush();
        }
    }

    @Override
    public void trailers(Fields fields) {
        // They may describe the page as it was received.
    }

    @Override
    public void end() {
        if (!isDropped()) {
            super.end();
        }
    }

    @Override
    public void abort() {
        if (state == State.WAITING) {
            cannotBeUsed();
        } else if (!isDropped()) {
            super.abort();
        }
    }

    private boolean isDropped() {
        return state == State.UNUSABLE;
    }
}
