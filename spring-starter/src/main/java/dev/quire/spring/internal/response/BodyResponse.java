package dev.quire.spring.internal.response;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * A response that receives the bytes of its own stream or writer. The charset is fixed from the
 * first use of the writer.
 *
 * <p>It deliberately does not extend {@code HttpServletResponseWrapper}: behind such a wrapper
 * Tomcat closes the container's response at the end of a forward, and held bytes would be lost.
 */
public abstract class BodyResponse implements HttpServletResponse {

    private boolean drainingWriter;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;
    private @Nullable String writerCharset;

    /** Receives bytes from stream or writer. */
    public abstract void write(byte[] bytes, int offset, int length) throws IOException;

    /** Called when stream or writer is flushed. */
    public void flush() throws IOException {}

    /** Called when stream or writer is closed. */
    public void close() throws IOException {}

    /** Whether a write does not block. */
    public boolean isReady() {
        return true;
    }

    /** Switches the stream to non-blocking writes. */
    public void listen(WriteListener listener) throws IOException {
        listener.onWritePossible();
    }

    /** Drains the bytes the writer has encoded, without a flush. */
    public final void drainWriter() {
        if (writer != null) {
            drainingWriter = true;
            writer.flush();
            drainingWriter = false;
        }
    }

    /** Lets the handler choose stream or writer again. */
    public final void forgetWriter() {
        stream = null;
        writer = null;
        writerCharset = null;
    }

    /** Returns the charset of the writer, or null if there is no writer. */
    public final @Nullable String writerCharset() {
        return writerCharset;
    }

    @Override
    public ServletOutputStream getOutputStream() {
        if (writer != null) {
            throw new IllegalStateException("getWriter() has already been called");
        }
        if (stream == null) {
            stream = new Stream();
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() {
        if (writer == null) {
            if (stream != null) {
                throw new IllegalStateException("getOutputStream() has already been called");
            }
            var charset = Charset.forName(getCharacterEncoding());
            setCharacterEncoding(charset.name());
            writer = new PrintWriter(new OutputStreamWriter(new Stream(), charset));
            writerCharset = charset.name();
        }
        return writer;
    }

    @Override
    public void setContentLength(int length) {
        setContentLengthLong(length);
    }

    /** Passes each event on to the response. */
    public final class Stream extends ServletOutputStream {

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            BodyResponse.this.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            if (!drainingWriter) {
                BodyResponse.this.flush();
            }
        }

        @Override
        public void close() throws IOException {
            BodyResponse.this.close();
        }

        @Override
        public boolean isReady() {
            return BodyResponse.this.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            try {
                listen(listener);
            } catch (IOException gone) {
                listener.onError(gone);
            }
        }
    }
}
