package dev.quire.spring;

import dev.quire.core.assemble.ErrorPage;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
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
 * The response as handlers see it. It commits later than the container's own, so that the caching
 * fields can be written once everything is known.
 *
 * <p>It holds back what the handler writes: of an ESI type at most as much as the properties allow,
 * of any other type as much as the container's buffer. It commits when the handler flushes, writes
 * more than that, or is done; a page that is assembled here is held until it is done, flushed or
 * not.
 *
 * <p>It is no {@code HttpServletResponseWrapper} on purpose: behind such a wrapper Tomcat closes
 * the container's response at the end of a forward, and what is held would be lost.
 */
final class GuardedResponse implements HttpServletResponse {

    private static final Logger log = LoggerFactory.getLogger(GuardedResponse.class);

    private enum State {
        /** Head and body are still ours. */
        HOLDING,
        /** The head is decided; the body goes straight on. */
        PASSING,
        /** Nothing more is written. */
        CLOSED
    }

    private final Exchange exchange;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final CommitGuard guard;
    private final PageAssembly assembly;
    private final Documents documents;
    private final int mostHeldBytes;
    private final Stamping stamping;
    private final HeldBytes held = new HeldBytes();

    /** Takes stamps out of what is sent, or null; known as soon as the head is decided. */
    private @Nullable StampSwap removal;

    private State state = State.HOLDING;
    private boolean drainingWriter;
    private @Nullable LastWrite unblocked;
    private long contentLength = -1;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;
    private @Nullable String writerCharset;

    /**
     * Begins to hold.
     *
     * @param stamping what becomes of the stamps in it
     * @param mostHeldBytes of a document that may have ESI tags
     */
    GuardedResponse(
            Exchange exchange,
            HttpServletRequest request,
            HttpServletResponse response,
            CommitGuard guard,
            PageAssembly assembly,
            Documents documents,
            Stamping stamping,
            int mostHeldBytes) {
        this.exchange = exchange;
        this.request = request;
        this.response = response;
        this.guard = guard;
        this.assembly = assembly;
        this.documents = documents;
        this.stamping = stamping;
        this.mostHeldBytes = mostHeldBytes;
    }

    /** The handler is done: what is still held is sent, assembled first if that is on us. */
    void finish() throws IOException {
        drainWriter();
        if (state != State.HOLDING) {
            finishPassing();
        } else if (response.isCommitted()) {
            state = State.CLOSED;
        } else if (isOursToAssemble()) {
            sendAssembled();
        } else {
            if (guard.mark(exchange, response, held) && contentLength >= 0) {
                contentLength = held.size();
            }
            release(true);
        }
    }

    /** The same, and then {@code behind} is done: at once, or when the container can take more. */
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

    /** The handler threw: nothing it wrote counts. */
    void failed() {
        if (state == State.HOLDING && !response.isCommitted()) {
            discard();
            // the error page has a type of its own
            response.setContentType(null);
            forgetEncoding();
            guard.failed(exchange, response);
        }
    }

    /** What is discarded was encoded, not what comes instead. */
    private void forgetEncoding() {
        if (exchange.hasFieldOfHandler("Content-Encoding")) {
            response.setHeader("Content-Encoding", null);
        }
    }

    private void discard() {
        held.reset();
        contentLength = -1;
        state = State.CLOSED;
    }

    /**
     * Decides the head and lets the body go on.
     *
     * @param isWhole whether all of it is held
     */
    private void release(boolean isWhole) throws IOException {
        decide(response.getStatus());
        state = State.PASSING;
        boolean isAll = isWhole || contentLength == held.size();
        if (removal != null && isAll) {
            sendWithoutStamps(held.toByteArray());
        } else if (removal != null) {
            sendLength(mayShrink() ? -1 : contentLength);
            held.writeTo(removal, response.getOutputStream());
        } else {
            sendLength(contentLength);
            if (held.size() > 0) {
                held.writeTo(response.getOutputStream());
            }
        }
        held.reset();
    }

    private void sendWithoutStamps(byte[] stamped) throws IOException {
        var body = stamping.placeholder().removedFrom(stamped);
        sendLength(contentLength < 0 ? -1 : contentLength - (stamped.length - body.length));
        if (body.length > 0) {
            response.getOutputStream().write(body);
        }
    }

    /**
     * Whether stamps may come that are taken out, so that what is told of the length would be too
     * much. Of another type only tags rendered earlier could come unannounced: then the container
     * breaks the connection, and nobody takes the answer for whole.
     */
    private boolean mayShrink() {
        return exchange.hasStamps() || documents.mayHoldTags(response.getContentType());
    }

    private void sendLength(long length) {
        if (length >= 0) {
            response.setContentLengthLong(length);
        }
    }

    /** Nothing more is written. */
    private void finishPassing() throws IOException {
        if (state == State.PASSING && removal != null && removal.isKeeping()) {
            removal.finish(response.getOutputStream());
        }
    }

    private void decide(int status) {
        noteTags();
        var strange = Charsets.strange(response.getCharacterEncoding());
        stamping.keepFindable(exchange, response, held, strange);
        removal = stamping.removal(exchange.isNeverEsi(), strange);
        guard.decide(exchange, request, response, status);
        stamping.acknowledge(response, documents);
        if (held.size() > 0 && Documents.asksForEsi(response)) {
            stamping.hint(exchange.handler(), held);
        }
    }

    /** What was rendered earlier and kept may bring tags that nobody has noted. */
    private void noteTags() {
        if (!exchange.hasTags()
                && held.size() > 0
                && documents.mayHoldTags(response.getContentType())
                && held.hold(stamping.placeholder())) {
            exchange.tagWritten();
        }
    }

    private boolean isOursToAssemble() {
        noteTags();
        int status = response.getStatus();
        return (exchange.hasTags() || Documents.asksForEsi(response))
                && !exchange.isNeverEsi()
                && !exchange.hasSurrogate()
                && assembly.isOn()
                && status != SC_PARTIAL_CONTENT
                && status != SC_NOT_MODIFIED
                && documents.mayHoldTags(response.getContentType())
                && !exchange.hasFieldOfHandler("Content-Encoding");
    }

    private void sendAssembled() throws IOException {
        decide(response.getStatus());
        if (request.getMethod().equals("HEAD")) {
            guard.assembled(response);
            state = State.CLOSED;
            // what the fragments add is not known, so there is no length to tell (RFC 9110 §9.3.2)
            response.flushBuffer();
            return;
        }
        var page = assembly.assemble(request, response, held.toByteArray());
        guard.assembled(response);
        var failure = page.failure();
        if (failure == null) {
            state = State.CLOSED;
            page.sendTo(response);
        } else {
            response.setContentType(null);
            sendError(ErrorPage.ofPage(failure).status());
        }
    }

    private void write(byte[] bytes, int offset, int length) throws IOException {
        switch (state) {
            case HOLDING -> {
                if ((long) held.size() + length <= heldLimit()) {
                    held.write(bytes, offset, length);
                    return;
                }
                if (isOursToAssemble()) {
                    throw new IllegalStateException(
                            "a page with ESI tags is larger than quire.fallback.buffer, %d bytes"
                                    .formatted(mostHeldBytes));
                }
                release(false);
                pass(bytes, offset, length);
            }
            case PASSING -> pass(bytes, offset, length);
            case CLOSED -> {}
        }
    }

    private void pass(byte[] bytes, int offset, int length) throws IOException {
        var out = response.getOutputStream();
        if (removal == null) {
            out.write(bytes, offset, length);
            return;
        }
        removal.write(bytes, offset, length, out);
    }

    private int heldLimit() {
        return documents.mayHoldTags(response.getContentType())
                ? mostHeldBytes
                : response.getBufferSize();
    }

    private void flush() throws IOException {
        if (drainingWriter || state == State.CLOSED) {
            return;
        }
        if (state == State.HOLDING) {
            if (isOursToAssemble()) {
                return;
            }
            release(false);
        }
        response.flushBuffer();
    }

    /** Takes over what the writer has encoded, without committing. */
    private void drainWriter() {
        if (writer != null) {
            drainingWriter = true;
            writer.flush();
            drainingWriter = false;
        }
    }

    private void close() throws IOException {
        if (state == State.HOLDING && !isOursToAssemble()) {
            release(true);
        }
        flush();
        if (state == State.PASSING) {
            finishPassing();
            response.getOutputStream().close();
            state = State.CLOSED;
        }
    }

    @Override
    public ServletOutputStream getOutputStream() {
        if (writer != null) {
            throw new IllegalStateException("getWriter() has already been called");
        }
        if (stream == null) {
            stream = new HeldStream();
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
            writer = new PrintWriter(new OutputStreamWriter(new HeldStream(), charset));
            writerCharset = charset.name();
        }
        return writer;
    }

    @Override
    public void flushBuffer() throws IOException {
        drainWriter();
        flush();
    }

    @Override
    public void reset() {
        response.reset();
        exchange.reset();
        if (state == State.HOLDING) {
            held.reset();
            contentLength = -1;
            stream = null;
            writer = null;
            writerCharset = null;
        }
    }

    @Override
    public void resetBuffer() {
        drainWriter();
        response.resetBuffer();
        if (state == State.HOLDING) {
            held.reset();
        }
    }

    @Override
    public boolean isCommitted() {
        return state == State.CLOSED || response.isCommitted();
    }

    @Override
    public void sendError(int status, @Nullable String message) throws IOException {
        error(status);
        response.sendError(status, message);
    }

    @Override
    public void sendError(int status) throws IOException {
        error(status);
        response.sendError(status);
    }

    private void error(int status) {
        if (state == State.HOLDING && !response.isCommitted()) {
            discard();
            if (status >= SC_BAD_REQUEST) {
                forgetEncoding();
                guard.failed(exchange, response);
            }
        }
    }

    @Override
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        drainWriter();
        if (state == State.HOLDING && !response.isCommitted()) {
            decide(status);
            if (!clearBuffer && held.size() > 0) {
                contentLength = -1;
                if (removal == null) {
                    held.writeTo(response.getOutputStream());
                } else {
                    sendWithoutStamps(held.toByteArray());
                }
            }
            discard();
        }
        response.sendRedirect(location, status, clearBuffer);
    }

    @Override
    public String encodeURL(String url) {
        return withoutSurprise(url, () -> response.encodeURL(url));
    }

    @Override
    public String encodeRedirectURL(String url) {
        return withoutSurprise(url, () -> response.encodeRedirectURL(url));
    }

    private String withoutSurprise(String url, Supplier<String> encoded) {
        if (exchange.wantsPlainUrls()) {
            return url;
        }
        var written = encoded.get();
        if (SessionIds.isIn(written) && !written.equals(url)) {
            exchange.sessionIdWritten();
        }
        return written;
    }

    @Override
    public void setContentLength(int length) {
        setContentLengthLong(length);
    }

    @Override
    public void setContentLengthLong(long length) {
        if (state == State.HOLDING) {
            contentLength = length;
        } else {
            response.setContentLengthLong(length);
        }
    }

    @Override
    public void setHeader(String name, @Nullable String value) {
        if (isContentLength(name)) {
            setContentLengthLong(value == null ? -1 : Long.parseLong(value));
        } else {
            exchange.fieldSet(name, value != null);
            response.setHeader(name, value);
            keepWriterCharset();
        }
    }

    @Override
    public void addHeader(String name, String value) {
        if (isContentLength(name)) {
            setContentLengthLong(Long.parseLong(value));
        } else {
            exchange.fieldSet(name, true);
            response.addHeader(name, value);
            keepWriterCharset();
        }
    }

    @Override
    public void setIntHeader(String name, int value) {
        if (isContentLength(name)) {
            setContentLengthLong(value);
        } else {
            response.setIntHeader(name, value);
        }
    }

    @Override
    public void addIntHeader(String name, int value) {
        if (isContentLength(name)) {
            setContentLengthLong(value);
        } else {
            response.addIntHeader(name, value);
        }
    }

    @Override
    public boolean containsHeader(String name) {
        return getHeader(name) != null;
    }

    @Override
    public @Nullable String getHeader(String name) {
        if (isContentLength(name) && state == State.HOLDING) {
            return contentLength < 0 ? null : Long.toString(contentLength);
        }
        return response.getHeader(name);
    }

    private static boolean isContentLength(String name) {
        return name.equalsIgnoreCase("Content-Length");
    }

    @Override
    public void setContentType(@Nullable String type) {
        response.setContentType(type);
        keepWriterCharset();
    }

    @Override
    public void setCharacterEncoding(@Nullable String charset) {
        if (writerCharset == null) {
            response.setCharacterEncoding(charset);
        }
    }

    @Override
    public void setLocale(Locale locale) {
        response.setLocale(locale);
        keepWriterCharset();
    }

    /** Once there is a writer, the charset it encodes to is the one that is told. */
    private void keepWriterCharset() {
        if (writerCharset != null) {
            response.setCharacterEncoding(writerCharset);
        }
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
    public void addCookie(Cookie cookie) {
        response.addCookie(cookie);
    }

    @Override
    public void setDateHeader(String name, long date) {
        exchange.fieldSet(name, true);
        response.setDateHeader(name, date);
    }

    @Override
    public void addDateHeader(String name, long date) {
        exchange.fieldSet(name, true);
        response.addDateHeader(name, date);
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

    /** Where handlers write to, as bytes. */
    private final class HeldStream extends ServletOutputStream {

        @Override
        public void write(int value) throws IOException {
            GuardedResponse.this.write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            GuardedResponse.this.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            GuardedResponse.this.flush();
        }

        @Override
        public void close() throws IOException {
            GuardedResponse.this.close();
        }

        @Override
        public boolean isReady() {
            try {
                return state != State.PASSING || response.getOutputStream().isReady();
            } catch (IOException gone) {
                return true;
            }
        }

        /** Who writes without blocking writes to the container: nothing is held any more. */
        @Override
        public void setWriteListener(WriteListener listener) {
            try {
                if (state == State.HOLDING) {
                    noteTags();
                    release(false);
                }
                var out = response.getOutputStream();
                if (removal == null) {
                    out.setWriteListener(listener);
                } else {
                    unblocked = new LastWrite(listener, out, removal);
                    out.setWriteListener(unblocked);
                }
            } catch (IOException gone) {
                listener.onError(gone);
            }
        }
    }
}
