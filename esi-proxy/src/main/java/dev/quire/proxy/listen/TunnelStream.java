package dev.quire.proxy.listen;

import dev.quire.proxy.exchange.TunnelEnd;
import dev.quire.proxy.exchange.TunnelSide;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;

/** The stream of HTTP/2 of one end of a tunnel (RFC 8441). Confined to the connection's loop. */
final class TunnelStream implements TunnelSide {
    private final ClientStream stream;
    private final TunnelEnd end;
    private boolean isReading;
    private boolean isInputEnded;
    private boolean isOutputEnded;
    private boolean isClosed;

    /** Received bytes that the client may not replace by others yet. */
    private int heldBytes;

    TunnelStream(ClientStream stream) {
        this.stream = stream;
        this.end = new TunnelEnd(this);
    }

    TunnelEnd end() {
        return end;
    }

    /** Receives bytes of the client; returns how many it may send in their place. */
    int data(ByteBuf data) {
        int bytes = data.readableBytes();
        end.received(data.retain());
        end.readComplete();
        if (isReading || !isOpen()) {
            return bytes;
        }
        heldBytes += bytes;
        return 0;
    }

    /** The client sends no more. */
    void inputEnded() {
        isInputEnded = true;
        end.inputEnded();
    }

    @Override
    public EventLoop loop() {
        return stream.connection().loop();
    }

    @Override
    public boolean isOpen() {
        return stream.isOpen() || isOutputEnded;
    }

    @Override
    public boolean isInputEnded() {
        return isInputEnded;
    }

    @Override
    public long pendingBytes() {
        return stream.output().waitingBytes();
    }

    @Override
    public void read(boolean isOn) {
        isReading = isOn;
        if (isOn && heldBytes > 0) {
            int bytes = heldBytes;
            heldBytes = 0;
            stream.consumed(bytes);
        }
    }

    @Override
    public boolean isWritable() {
        return stream.isWritable();
    }

    @Override
    public void write(ByteBuf bytes) {
        if (stream.isOpen() && bytes.isReadable()) {
            stream.output().add(bytes, null);
        } else {
            bytes.release();
        }
    }

    @Override
    public void flush() {
        stream.connection().flush();
    }

    @Override
    public void endOutput() {
        if (!isOutputEnded) {
            isOutputEnded = true;
            stream.endOutput();
        }
    }

    /** Whether nothing more is passed in either direction. */
    boolean isClosed() {
        return isClosed;
    }

    /** RFC 8441 §5: a reset of the connection behind it is one of the stream. */
    @Override
    public void abort() {
        if (isClosed || isOutputEnded || !stream.isOpen()) {
            close();
            return;
        }
        isClosed = true;
        isOutputEnded = true;
        read(true);
        stream.endTunnel();
        stream.cancelOutput();
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        read(true);
        if (isOutputEnded) {
            stream.endInput();
        } else {
            endOutput();
        }
        stream.endTunnel();
    }
}
