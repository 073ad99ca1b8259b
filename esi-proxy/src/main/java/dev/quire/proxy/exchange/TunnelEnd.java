package dev.quire.proxy.exchange;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One of the two ends of a {@link Tunnel}: passes its bytes to the other one. Reading stops while
 * the other one does not take them. Confined to its loop.
 */
public final class TunnelEnd {
    private final TunnelSide side;

    /** Bytes that arrived before the tunnel began, at most one read of the socket. */
    private final ArrayDeque<ByteBuf> early = new ArrayDeque<>(1);

    private @Nullable Tunnel tunnel;
    private @Nullable TunnelEnd other;
    private boolean isInputEnded;
    private boolean isClosing;

    /** Stops reading from {@code side} until the tunnel begins. */
    public TunnelEnd(TunnelSide side) {
        this.side = side;
        this.isInputEnded = side.isInputEnded();
        side.read(false);
    }

    TunnelSide side() {
        return side;
    }

    boolean isInputEnded() {
        return isInputEnded;
    }

    /** Begins to pass bytes to {@code into}. */
    void passTo(TunnelEnd into, Tunnel within) {
        other = into;
        tunnel = within;
        while (!early.isEmpty()) {
            pass(early.remove(), into, within);
        }
        into.side.flush();
        if (!side.isOpen()) {
            into.close();
        } else if (isInputEnded) {
            passEnd(into);
        } else {
            side.read(into.side.isWritable());
        }
    }

    /** Closes the connection once the bytes that it was given have been sent. */
    public void close() {
        if (!isClosing) {
            isClosing = true;
            side.read(false);
            side.close();
        }
    }

    /** Receives bytes from the peer; takes over one reference. */
    public void received(ByteBuf bytes) {
        if (isClosing) {
            bytes.release();
        } else if (other == null || tunnel == null) {
            early.add(bytes);
        } else {
            pass(bytes, other, tunnel);
        }
    }

    private void pass(ByteBuf bytes, TunnelEnd into, Tunnel within) {
        within.passes(bytes.readableBytes(), into);
        into.side.write(bytes);
        if (!into.side.isWritable()) {
            side.read(false);
        }
    }

    /** The batch of received bytes is complete and can be sent. */
    public void readComplete() {
        if (other != null) {
            other.side.flush();
        }
    }

    /** The peer takes more bytes. */
    public void writable() {
        if (other != null && side.isWritable() && !other.isInputEnded && !other.isClosing) {
            other.side.read(true);
        }
    }

    /** The peer sends no more. */
    public void inputEnded() {
        if (!isInputEnded) {
            isInputEnded = true;
            if (other != null) {
                passEnd(other);
            }
        }
    }

    /** Passes a half-close on; when both sides have ended, closes both. */
    private void passEnd(TunnelEnd into) {
        if (into.isInputEnded) {
            into.close();
            close();
        } else if (!into.isClosing) {
            into.side.endOutput();
        }
    }

    /** The connection has ended. */
    public void gone() {
        isClosing = true;
        early.forEach(ByteBuf::release);
        early.clear();
        if (other == null) {
            return;
        }
        if (isInputEnded) {
            other.close();
        } else {
            other.abort();
        }
    }

    /** The other connection has broken off. */
    private void abort() {
        if (!isClosing) {
            isClosing = true;
            side.read(false);
            side.abort();
        }
    }
}
