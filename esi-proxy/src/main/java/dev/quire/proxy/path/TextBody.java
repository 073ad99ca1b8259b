package dev.quire.proxy.path;

import dev.quire.proxy.exchange.RequestBody;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** The request body given by an include, one byte for each char. */
final class TextBody implements RequestBody {
    private final byte[] bytes;

    TextBody(String text) {
        this.bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public long length() {
        return bytes.length;
    }

    @Override
    public boolean expectsContinue() {
        return false;
    }

    @Override
    public void flowTo(Sink sink) {
        sink.data(Unpooled.wrappedBuffer(bytes));
        sink.end();
    }

    @Override
    public void pause() {
        // The whole body is sent at once.
    }

    @Override
    public void resume() {
        // The whole body is sent at once.
    }
}
