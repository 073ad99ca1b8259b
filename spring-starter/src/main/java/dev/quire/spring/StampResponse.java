package dev.quire.spring;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A response that puts the surrogate's stamp where the placeholder stands, as the bytes pass. It
 * keeps back at most the beginning of a placeholder, past a flush too.
 *
 * <p>It is no {@code HttpServletResponseWrapper}: behind one Tomcat ends the container's response
 * at the end of a forward, and what is kept back would be lost. Closed, it sends that first.
 */
final class StampResponse implements HttpServletResponse {

    private static final Logger log = LoggerFactory.getLogger(StampResponse.class);

    private final HttpServletResponse response;
    private final StampSwap swap;
    private @Nullable LastWrite unblocked;
    private boolean drainingWriter;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;
    private @Nullable String writerCharset;

    StampResponse(HttpServletResponse response, StampSwap swap) {
        this.response = response;
        this.swap = swap;
    }

    /** Nothing more is written: what is kept back goes. */
    void finish() throws IOException {
        drainWriter();
        if (swap.isKeeping()) {
            swap.finish(response.getOutputStream());
        }
    }

    /** Nothing more is written: what is kept back goes, and then {@code behind} is done. */
    void finish(Runnable behind) {
        if (unblocked != null) {
            unblocked.end(behind);
            return;
        }
        try {
            finish();
        } catch (IOException gone) {
            log.debug("the client has gone before its response was complete", gone);
        }
        behind.run();
    }

    private void write(byte[] bytes, int offset, int length) throws IOException {
        swap.write(bytes, offset, length, response.getOutputStream());
    }

    private void drainWriter() {
        if (writer != null) {
            drainingWriter = true;
            writer.flush();
            drainingWriter = false;
        }
    }

    @Override
    public ServletOutputStream getOutputStream() {
        if (writer != null) {
            throw new IllegalStateException("getWriter() has already been called");
        }
        if (stream == null) {
            stream = new SwappingStream();
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            if (stream != null) {
                throw new IllegalStateException("getOutputStream() has already been called");
            }
            var charset = Charset.forName(response.getCharacterEncoding());
            response.setCharacterEncoding(charset.name());
            writer = new PrintWriter(new OutputStreamWriter(new SwappingStream(), charset));
            writerCharset = charset.name();
        }
        return writer;
    }

    @Override
    public void flushBuffer() throws IOException {
        drainWriter();
        response.flushBuffer();
    }

    @Override
    public void reset() {
        response.reset();
        swap.reset();
        stream = null;
        writer = null;
        writerCharset = null;
    }

    @Override
    public void resetBuffer() {
        drainWriter();
        response.resetBuffer();
        swap.reset();
    }

    @Override
    public void sendError(int status, @Nullable String message) throws IOException {
        response.sendError(status, message);
        swap.reset();
    }

    @Override
    public void sendError(int status) throws IOException {
        response.sendError(status);
        swap.reset();
    }

    @Override
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        if (!clearBuffer) {
            finish();
        }
        response.sendRedirect(location, status, clearBuffer);
        swap.reset();
    }

    @Override
    public void addCookie(Cookie cookie) {
        response.addCookie(cookie);
    }

    @Override
    public boolean containsHeader(String name) {
        return response.containsHeader(name);
    }

    @Override
    public String encodeURL(String url) {
        return response.encodeURL(url);
    }

    @Override
    public String encodeRedirectURL(String url) {
        return response.encodeRedirectURL(url);
    }

    @Override
    public void setDateHeader(String name, long date) {
        response.setDateHeader(name, date);
    }

    @Override
    public void addDateHeader(String name, long date) {
        response.addDateHeader(name, date);
    }

    @Override
    public void setHeader(String name, @Nullable String value) {
        response.setHeader(name, value);
    }

    @Override
    public void addHeader(String name, String value) {
        response.addHeader(name, value);
    }

    @Override
    public void setIntHeader(String name, int value) {
        response.setIntHeader(name, value);
    }

    @Override
    public void addIntHeader(String name, int value) {
        response.addIntHeader(name, value);
    }

    @Override
    public void setStatus(int status) {
        response.setStatus(status);
    }

    @Override
    public int getStatus() {
        return response.getStatus();
    }

    @Override
    public @Nullable String getHeader(String name) {
        return response.getHeader(name);
    }

    @Override
    public Collection<String> getHeaders(String name) {
        return response.getHeaders(name);
    }

    @Override
    public Collection<String> getHeaderNames() {
        return response.getHeaderNames();
    }

    @Override
    public void setTrailerFields(Supplier<Map<String, String>> fields) {
        response.setTrailerFields(fields);
    }

    @Override
    public @Nullable Supplier<Map<String, String>> getTrailerFields() {
        return response.getTrailerFields();
    }

    @Override
    public String getCharacterEncoding() {
        return response.getCharacterEncoding();
    }

    @Override
    public @Nullable String getContentType() {
        return response.getContentType();
    }

    @Override
    public void setCharacterEncoding(@Nullable String charset) {
        if (writer == null) {
            response.setCharacterEncoding(charset);
        }
    }

    @Override
    public void setContentLength(int length) {
        response.setContentLength(length);
    }

    @Override
    public void setContentLengthLong(long length) {
        response.setContentLengthLong(length);
    }

    @Override
    public void setContentType(@Nullable String type) {
        response.setContentType(type);
        if (writerCharset != null) {
            response.setCharacterEncoding(writerCharset);
        }
    }

    @Override
    public void setBufferSize(int bytes) {
        response.setBufferSize(bytes);
    }

    @Override
    public int getBufferSize() {
        return response.getBufferSize();
    }

    @Override
    public boolean isCommitted() {
        return response.isCommitted();
    }

    @Override
    public void setLocale(Locale locale) {
        response.setLocale(locale);
        if (writerCharset != null) {
            response.setCharacterEncoding(writerCharset);
        }
    }

    @Override
    public Locale getLocale() {
        return response.getLocale();
    }

    /** What is written passes the swap. */
    private final class SwappingStream extends ServletOutputStream {

        @Override
        public void write(int value) throws IOException {
            StampResponse.this.write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            StampResponse.this.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            if (!drainingWriter) {
                response.getOutputStream().flush();
            }
        }

        @Override
        public void close() throws IOException {
            swap.finish(response.getOutputStream());
            response.getOutputStream().close();
        }

        @Override
        public boolean isReady() {
            try {
                return response.getOutputStream().isReady();
            } catch (IOException gone) {
                return true;
            }
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            try {
                var out = response.getOutputStream();
                unblocked = new LastWrite(listener, out, swap);
                out.setWriteListener(unblocked);
            } catch (IOException gone) {
                listener.onError(gone);
            }
        }
    }
}
