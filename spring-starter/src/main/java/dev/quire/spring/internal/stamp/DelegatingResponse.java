package dev.quire.spring.internal.stamp;

import dev.quire.spring.internal.response.BodyResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A response that wraps another and receives the bytes of stream and writer first. */
public abstract class DelegatingResponse extends BodyResponse {

    private static final Logger log = LoggerFactory.getLogger(DelegatingResponse.class);

    public final HttpServletResponse response;

    private @Nullable LastWrite unblocked;

    public DelegatingResponse(HttpServletResponse response) {
        this.response = response;
    }

    /** Sends the held bytes; nothing is written afterwards. */
    public abstract void finish() throws IOException;

    /**
     * Switches the stream to non-blocking writes; returns the swap that its bytes pass through, or
     * null.
     */
    public abstract @Nullable StampSwap unblock() throws IOException;

    /**
     * Like {@link #finish()}, then runs {@code behind}: at once, or when the container is ready.
     */
    public void finish(Runnable behind) {
        if (unblocked != null) {
            unblocked.end(behind);
            return;
        }
        try {
            finish();
        } catch (IOException gone) {
            log.debug("the client closed the connection before the response was complete", gone);
        }
        behind.run();
    }

    /** Restores the charset of the writer, once there is one. */
    public void keepWriterCharset() {
        var charset = writerCharset();
        if (charset != null) {
            response.setCharacterEncoding(charset);
        }
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
    public void listen(WriteListener listener) throws IOException {
        var swap = unblock();
        var out = response.getOutputStream();
        if (swap == null) {
            out.setWriteListener(listener);
        } else {
            unblocked = new LastWrite(listener, out, swap);
            out.setWriteListener(unblocked);
        }
    }

    @Override
    public void setContentType(@Nullable String type) {
        response.setContentType(type);
        keepWriterCharset();
    }

    @Override
    public void setCharacterEncoding(@Nullable String charset) {
        if (writerCharset() == null) {
            response.setCharacterEncoding(charset);
        }
    }

    @Override
    public void setLocale(Locale locale) {
        response.setLocale(locale);
        keepWriterCharset();
    }

    @Override
    public boolean isCommitted() {
        return response.isCommitted();
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
    public void addCookie(Cookie cookie) {
        response.addCookie(cookie);
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
    public boolean containsHeader(String name) {
        return response.containsHeader(name);
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
    public void setDateHeader(String name, long date) {
        response.setDateHeader(name, date);
    }

    @Override
    public void addDateHeader(String name, long date) {
        response.addDateHeader(name, date);
    }

    @Override
    public void setContentLengthLong(long length) {
        response.setContentLengthLong(length);
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
    public void setBufferSize(int bytes) {
        response.setBufferSize(bytes);
    }

    @Override
    public int getBufferSize() {
        return response.getBufferSize();
    }

    @Override
    public Locale getLocale() {
        return response.getLocale();
    }
}
