package dev.quire.spring.internal.assemble;

import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.spring.internal.response.BodyResponse;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The response of one fragment, buffered instead of sent. Its fields, cookies and status never
 * reach the page's own response.
 */
final class CapturedResponse extends BodyResponse {

    private final HttpServletResponse page;
    private final int mostBytes;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    private int status = SC_OK;
    private boolean committed;
    private boolean overflown;
    private @Nullable String contentType;
    private @Nullable String charset;
    private Locale locale = Locale.getDefault();

    /**
     * An empty response.
     *
     * @param page encodes URLs
     * @param mostBytes maximum length of the body; more is dropped and marks the response as
     *     overflown
     */
    public CapturedResponse(HttpServletResponse page, int mostBytes) {
        this.page = page;
        this.mostBytes = mostBytes;
    }

    public byte[] body() {
        drainWriter();
        return body.toByteArray();
    }

    public boolean isOverflown() {
        drainWriter();
        return overflown;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        if (overflown || (long) body.size() + length > mostBytes) {
            overflown = true;
        } else {
            body.write(bytes, offset, length);
        }
    }

    /** A fragment may use stream and writer. */
    @Override
    public ServletOutputStream getOutputStream() {
        return new Stream();
    }

    @Override
    public void sendError(int error, @Nullable String message) {
        sendError(error);
    }

    @Override
    public void sendError(int error) {
        resetBuffer();
        status = error;
        committed = true;
    }

    @Override
    public void sendRedirect(String location, int redirect, boolean clearBuffer) {
        if (clearBuffer) {
            resetBuffer();
        }
        setHeader("Location", location);
        status = redirect;
        committed = true;
    }

    @Override
    public void flushBuffer() {
        drainWriter();
        committed = true;
    }

    @Override
    public void resetBuffer() {
        if (committed) {
            throw new IllegalStateException("the fragment's response is already committed");
        }
        drainWriter();
        body.reset();
        overflown = false;
    }

    @Override
    public void reset() {
        resetBuffer();
        fields.clear();
        status = SC_OK;
        contentType = null;
        charset = null;
        forgetWriter();
    }

    @Override
    public boolean isCommitted() {
        return committed;
    }

    @Override
    public void setStatus(int code) {
        status = code;
    }

    @Override
    public int getStatus() {
        return status;
    }

    /** A fragment's cookies do not reach the client, as with a surrogate. */
    @Override
    public void addCookie(Cookie cookie) {
        addHeader("Set-Cookie", cookie.getName() + "=" + cookie.getValue());
    }

    @Override
    public void setHeader(String name, @Nullable String value) {
        if (isContentType(name)) {
            setContentType(value);
        } else if (value == null) {
            fields.remove(name);
        } else {
            fields.put(name, new ArrayList<>(List.of(value)));
        }
    }

    @Override
    public void addHeader(String name, String value) {
        if (isContentType(name)) {
            setContentType(value);
        } else {
            fields.computeIfAbsent(name, ignored -> new ArrayList<>()).add(value);
        }
    }

    @Override
    public void setIntHeader(String name, int value) {
        setHeader(name, Integer.toString(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        addHeader(name, Integer.toString(value));
    }

    @Override
    public void setDateHeader(String name, long date) {
        setHeader(name, HttpDate.format(Instant.ofEpochMilli(date)));
    }

    @Override
    public void addDateHeader(String name, long date) {
        addHeader(name, HttpDate.format(Instant.ofEpochMilli(date)));
    }

    @Override
    public boolean containsHeader(String name) {
        return getHeader(name) != null;
    }

    @Override
    public @Nullable String getHeader(String name) {
        if (isContentType(name)) {
            return getContentType();
        }
        var values = fields.get(name);
        return values == null ? null : values.getFirst();
    }

    @Override
    public Collection<String> getHeaders(String name) {
        return List.copyOf(fields.getOrDefault(name, List.of()));
    }

    @Override
    public Collection<String> getHeaderNames() {
        return List.copyOf(fields.keySet());
    }

    /** Returns all fields, including {@code Content-Type}. */
    public Fields fields() {
        var all = new Fields.Builder();
        fields.forEach((name, values) -> values.forEach(value -> all.add(name, value)));
        var type = getContentType();
        if (type != null) {
            all.add("Content-Type", type);
        }
        return all.build();
    }

    private static boolean isContentType(String name) {
        return name.equalsIgnoreCase("Content-Type");
    }

    @Override
    public void setContentType(@Nullable String type) {
        contentType = type;
        int parameter = type == null ? -1 : type.toLowerCase(Locale.ROOT).indexOf("charset=");
        if (type != null && parameter >= 0 && writerCharset() == null) {
            var rest = type.substring(parameter + "charset=".length());
            int end = rest.indexOf(';');
            charset = (end < 0 ? rest : rest.substring(0, end)).replace("\"", "").strip();
        }
    }

    @Override
    public @Nullable String getContentType() {
        return contentType == null
                        || charset == null
                        || contentType.toLowerCase(Locale.ROOT).contains("charset=")
                ? contentType
                : contentType + ";charset=" + charset;
    }

    @Override
    public void setCharacterEncoding(@Nullable String encoding) {
        if (writerCharset() == null) {
            charset = encoding;
        }
    }

    @Override
    public String getCharacterEncoding() {
        return charset == null ? StandardCharsets.ISO_8859_1.name() : charset;
    }

    @Override
    public void setContentLengthLong(long length) {}

    @Override
    public void setBufferSize(int bytes) {}

    @Override
    public int getBufferSize() {
        return mostBytes;
    }

    @Override
    public void setLocale(Locale locale) {
        this.locale = locale;
    }

    @Override
    public Locale getLocale() {
        return locale;
    }

    @Override
    public String encodeURL(String url) {
        return page.encodeURL(url);
    }

    @Override
    public String encodeRedirectURL(String url) {
        return page.encodeRedirectURL(url);
    }
}
