package dev.quire.proxy.path;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.ClientTrust;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.Gathering;
import dev.quire.proxy.exchange.HeadLines;
import dev.quire.proxy.exchange.HeadTemplate;
import dev.quire.proxy.exchange.ResponseChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A response as an HTTP/2 stream would carry it: a status, fields with names in lower case, data
 * and an end. It has no head text, and rejects connection-specific fields (RFC 9113 §8.2.2).
 */
final class RecordedResponse implements ResponseChannel, HeadLines {
    private static final ClientTrust TRUST =
            new ClientTrust(InetAddress::isLoopbackAddress, FieldNames.NONE, null);

    private static final Set<String> OF_A_CONNECTION =
            Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");

    final Exchange exchange;
    final List<ResponseHead> interim = new ArrayList<>();
    String protocol = "HTTP/1.1";
    final List<String> fields = new ArrayList<>();
    final StringBuilder body = new StringBuilder();
    boolean isEnded;
    boolean isAborted;

    private final OneThread proxy;
    private final RequestHead request;
    private boolean isHeadOpen;
    private int status;

    RecordedResponse(OneThread proxy, RequestHead request) {
        this.proxy = proxy;
        this.request = request;
        this.exchange =
                new Exchange(
                        request,
                        null,
                        Exchange.Peer.of(InetAddress.getLoopbackAddress(), 1, TRUST),
                        this,
                        TRUST,
                        proxy.noting);
    }

    @Override
    public EventLoop loop() {
        return proxy.loop;
    }

    @Override
    public ByteBufAllocator alloc() {
        return ByteBufAllocator.DEFAULT;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public int status() {
        return isHeadOpen ? 0 : status;
    }

    @Override
    public long bodyBytes() {
        return body.length();
    }

    @Override
    public String protocol() {
        return protocol;
    }

    @Override
    public long headNanos() {
        return 0;
    }

    @Override
    public void interim(ResponseHead head) {
        assertThat(status).isZero();
        interim.add(head);
    }

    @Override
    public HeadLines head(int code) {
        assertThat(status).isZero();
        status = code;
        isHeadOpen = true;
        return this;
    }

    @Override
    public HeadLines head(ResponseHead from) {
        return head(from.status());
    }

    @Override
    public HeadLines head(int code, HeadTemplate template, boolean inGzip, int bodyBytes) {
        var lines = head(code);
        template.writeTo(lines, inGzip);
        return lines;
    }

    @Override
    public void line(CharSequence name, String value) {
        assertThat(isHeadOpen).isTrue();
        var lower = name.toString().toLowerCase(Locale.ROOT);
        assertThat(OF_A_CONNECTION).doesNotContain(lower);
        fields.add(lower + ": " + value);
    }

    @Override
    public void line(CharSequence name, CharSequence value, long number) {
        line(name, value.toString() + number);
    }

    @Override
    public void endHead(boolean isLengthKnown) {
        assertThat(isHeadOpen).isTrue();
        isHeadOpen = false;
    }

    @Override
    public void body(ByteBuf data) {
        assertThat(status()).as("status before the body").isNotZero();
        assertThat(isEnded).isFalse();
        if (!request.isHead()) {
            body.append(data.toString(ISO_8859_1));
        }
        data.release();
    }

    @Override
    public void body(ByteBuf data, Runnable gone) {
        body(data);
        gone.run();
    }

    @Override
    public void body(ByteBuf from, int index, int length) {
        body(from.retainedSlice(index, length));
    }

    @Override
    public void body(Gathering parts) {
        parts.take(this::body);
    }

    @Override
    public void whenGone(Runnable gone) {
        gone.run();
    }

    @Override
    public void flush() {}

    @Override
    public void end() {
        assertThat(status()).isNotZero();
        isEnded = true;
        proxy.noting.finished(exchange, proxy.ticker.nanoTime());
    }

    @Override
    public void abort() {
        isAborted = true;
        proxy.noting.finished(exchange, proxy.ticker.nanoTime());
    }
}
