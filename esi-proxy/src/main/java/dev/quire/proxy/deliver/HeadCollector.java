package dev.quire.proxy.deliver;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.UpgradeRequest;
import dev.quire.proxy.exchange.Gathering;
import dev.quire.proxy.exchange.HeadLines;
import dev.quire.proxy.exchange.HeadTemplate;
import dev.quire.proxy.exchange.ResponseChannel;
import dev.quire.proxy.exchange.TunnelEnd;
import dev.quire.proxy.exchange.TunnelPlace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Collects the lines of a response head before they are sent. A 101 and everything but heads is
 * passed on unchanged.
 */
abstract class HeadCollector implements ResponseChannel {
    private final ResponseChannel to;
    private @Nullable Lines collected;

    HeadCollector(ResponseChannel to) {
        this.to = to;
    }

    /**
     * Sends {@code head}, or another one in its place.
     *
     * @param from has the status and reason of {@code head}; null for the reason of the status
     */
    abstract void send(ResponseHead head, @Nullable ResponseHead from, boolean isLengthKnown);

    /** The channel that sends the response. */
    public final ResponseChannel to() {
        return to;
    }

    /** The lines of a head that has begun. */
    private static final class Lines implements HeadLines {
        private final int status;
        private final @Nullable ResponseHead from;
        private final Fields.Builder fields = new Fields.Builder();

        Lines(int status, @Nullable ResponseHead from) {
            this.status = status;
            this.from = from;
        }

        @Override
        public void line(CharSequence name, String value) {
            fields.add(name.toString(), value);
        }

        @Override
        public void line(CharSequence name, CharSequence value, long number) {
            fields.add(name.toString(), value.toString() + number);
        }
    }

    @Override
    public HeadLines head(int status) {
        return collect(status, null);
    }

    @Override
    public HeadLines head(ResponseHead from) {
        return from.status() == 101 ? to.head(from) : collect(from.status(), from);
    }

    @Override
    public HeadLines head(int status, HeadTemplate template, boolean inGzip, int bodyBytes) {
        var lines = collect(status, null);
        template.writeTo(lines, inGzip);
        return lines;
    }

    private Lines collect(int status, @Nullable ResponseHead from) {
        var lines = new Lines(status, from);
        collected = lines;
        return lines;
    }

    @Override
    public final void endHead(boolean isLengthKnown) {
        var lines = collected;
        collected = null;
        if (lines == null) {
            to.endHead(isLengthKnown);
            return;
        }
        var from = lines.from;
        send(
                new ResponseHead(
                        lines.status, from == null ? "" : from.reason(), lines.fields.build()),
                from,
                isLengthKnown);
    }

    @Override
    public EventLoop loop() {
        return to.loop();
    }

    @Override
    public ByteBufAllocator alloc() {
        return to.alloc();
    }

    @Override
    public boolean isOpen() {
        return to.isOpen();
    }

    @Override
    public boolean isHalfClosed() {
        return to.isHalfClosed();
    }

    @Override
    public boolean isWritable() {
        return to.isWritable();
    }

    @Override
    public @Nullable UpgradeRequest upgrade() {
        return to.upgrade();
    }

    @Override
    public void tunnel(TunnelEnd origin, TunnelPlace place) {
        to.tunnel(origin, place);
    }

    @Override
    public long tunnelBytes() {
        return to.tunnelBytes();
    }

    @Override
    public int status() {
        return to.status();
    }

    @Override
    public long bodyBytes() {
        return to.bodyBytes();
    }

    @Override
    public String protocol() {
        return to.protocol();
    }

    @Override
    public long headNanos() {
        return to.headNanos();
    }

    @Override
    public void interim(ResponseHead head) {
        to.interim(head);
    }

    @Override
    public void body(ByteBuf data) {
        to.body(data);
    }

    @Override
    public void body(ByteBuf data, Runnable gone) {
        to.body(data, gone);
    }

    @Override
    public void body(ByteBuf from, int index, int length) {
        to.body(from, index, length);
    }

    @Override
    public void body(Gathering parts) {
        to.body(parts);
    }

    @Override
    public void whenGone(Runnable gone) {
        to.whenGone(gone);
    }

    @Override
    public void flush() {
        to.flush();
    }

    @Override
    public void trailers(Fields fields) {
        to.trailers(fields);
    }

    @Override
    public void end() {
        to.end();
    }

    @Override
    public void abort() {
        to.abort();
    }
}
