package dev.quire.proxy.exchange;

import io.netty.buffer.ByteBuf;

/**
 * The preformatted part of a stored response's head that is the same in every response. It has a
 * second form for a gzip body, without Content-Length.
 */
public interface HeadTemplate {

    /** The length of its HTTP/1.1 text. */
    int length(boolean inGzip);

    /** Writes its HTTP/1.1 text: the status line and its lines, without the empty line. */
    void writeTo(ByteBuf out, boolean inGzip);

    /**
     * Writes its HPACK form: the status and its lines ({@link Hpack}). It is made on first use and
     * kept.
     */
    void writeHpackTo(ByteBuf out, boolean inGzip);

    /** Passes on the same lines one by one, without the status. */
    void writeTo(HeadLines lines, boolean inGzip);
}
