package dev.quire.spring.internal.guard;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.spring.internal.assemble.PageAssembly;
import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.fields.Charsets;
import dev.quire.spring.internal.fields.Documents;
import dev.quire.spring.internal.fields.SessionIds;
import dev.quire.spring.internal.stamp.DelegatingResponse;
import dev.quire.spring.internal.stamp.HeldBytes;
import dev.quire.spring.internal.stamp.StampSwap;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * The response as handlers see it. It commits later than the container's own response, so that the
 * caching fields are written once everything is known.
 *
 * <p>It buffers the body: for an ESI type up to the limit of a page, for any other type of a public
 * response up to the guard's limit, else up to the container's buffer size; a streaming type not at
 * all if it is public. It commits when the handler flushes, exceeds that limit, or is done. A page
 * assembled in the application is held until it is done, even if it is flushed.
 *
 * <p>If data of one user is read after a head was sent as public, nothing more is written, and the
 * response ends with an exception: the container then closes the connection, and no cache stores
 * the incomplete response.
 */
public final class GuardedResponse extends DelegatingResponse {

    private enum State {
        /** Head and body are buffered. */
        HOLDING,
        /** The head is decided; the body passes through. */
        PASSING,
        /** Data of one user was read after a public head: nothing more is written. */
        BROKEN,
        CLOSED
    }

    private final GuardedExchange exchange;
    private final HttpServletRequest request;
    private final CommitGuard guard;
    private final PageAssembly assembly;
    private final Documents documents;
    private final Stamping stamping;
    private final HeldBytes held = new HeldBytes();

    /** Removes stamps from sent bytes, or null; set when the head is decided. */
    private @Nullable StampSwap removal;

    /** Volatile: a view or a stream may read from another thread. */
    private volatile State state = State.HOLDING;

    private long contentLength = -1;

    /**
     * Starts buffering.
     *
     * @param stamping handles the stamps in the body
     */
    public GuardedResponse(
            GuardedExchange exchange,
            HttpServletRequest request,
            HttpServletResponse response,
            CommitGuard guard,
            PageAssembly assembly,
            Stamping stamping) {
        super(response);
        this.exchange = exchange;
        this.request = request;
        this.guard = guard;
        this.assembly = assembly;
        this.documents = assembly.documents();
        this.stamping = stamping;
    }

    /**
     * Called when the handler is done: sends the buffered body, assembled first if no surrogate
     * does.
     */
    @Override
    public void finish() throws IOException {
        refuseIfBroken();
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

    /** Whether data of one user was read too late, so that the response must not be completed. */
    boolean isBroken() {
        return state == State.BROKEN;
    }

    /**
     * Fails a broken response; not with an {@code IOException}, which frameworks take for a client
     * that closed the connection.
     */
    void refuseIfBroken() {
        if (isBroken()) {
            throw new IllegalStateException(
                    "the response of %s is broken off: data of one user was read after its head had been sent as public"
                            .formatted(exchange.handler()));
        }
    }

    private void readLate(Demotion reason) {
        if (state == State.PASSING && guard.forbids(reason, exchange, response)) {
            guard.lateReads().happened(exchange, reason);
            state = State.BROKEN;
            exchange.breakOff();
        }
    }

    /**
     * Called when the handler threw: discards its output, or breaks the response off if its head
     * was sent.
     */
    void failed(Throwable failure) {
        if (state == State.PASSING
                && !DisconnectedClientHelper.isClientDisconnectedException(failure)) {
            exchange.breakOff();
        } else if (state == State.HOLDING && !response.isCommitted()) {
            discard();
            // the error page sets its own type
            response.setContentType(null);
            forgetEncoding();
            guard.failed(exchange, response);
        }
    }

    /**
     * Removes the {@code Content-Encoding} of the discarded body; the error page is not encoded.
     */
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
     * Decides the head and passes the body on.
     *
     * @param isWhole whether the whole body is buffered
     */
    private void release(boolean isWhole) throws IOException {
        boolean isPublic = decide(response.getStatus());
        state = State.PASSING;
        boolean isAll = isWhole || contentLength == held.size();
        if (isPublic && !isAll) {
            exchange.publicHeadSent(this::readLate);
        }
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
        if (!isAll) {
            // from here the container refuses cookies and sessions
            response.flushBuffer();
        }
    }

    private void sendWithoutStamps(byte[] stamped) throws IOException {
        var body = stamping.placeholder().removedFrom(stamped);
        sendLength(contentLength < 0 ? -1 : contentLength - (stamped.length - body.length));
        if (body.length > 0) {
            response.getOutputStream().write(body);
        }
    }

    /**
     * Whether removing stamps may shorten the body below the declared length. In other types only
     * tags rendered earlier could appear unannounced; then the container closes the connection, and
     * the client sees a truncated response.
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

    private boolean decide(int status) {
        noteTags();
        var strange = Charsets.strange(response.getCharacterEncoding());
        stamping.keepFindable(exchange, response, held, strange);
        boolean isPublic = guard.decide(exchange, request, response, status);
        removal = stamping.removal(isParsed(status), strange);
        stamping.acknowledge(response, documents);
        if (held.size() > 0 && Documents.asksForEsi(response)) {
            stamping.hint(exchange.handler(), held);
        }
        return isPublic;
    }

    /** Whether a surrogate parses the response, so that stamps in it do not reach clients. */
    private boolean isParsed(int status) {
        return Documents.asksForEsi(response)
                && documents.mayHoldTags(response.getContentType())
                && status != SC_PARTIAL_CONTENT
                && status != SC_NO_CONTENT
                && status != SC_NOT_MODIFIED;
    }

    /** Detects tags in cached output that no tag writer reported. */
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
            // the length of the fragments is unknown, so no length is sent (RFC 9110 §9.3.2)
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

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        switch (state) {
            case HOLDING -> {
                long size = (long) held.size() + length;
                if (size <= heldLimit(size)) {
                    held.write(bytes, offset, length);
                    return;
                }
                if (isOursToAssemble()) {
                    throw new IllegalStateException(
                            "a page with ESI tags exceeds quire.fallback.buffer (%d bytes)"
                                    .formatted(assembly.mostHeldBytes()));
                }
                release(false);
                pass(bytes, offset, length);
            }
            case PASSING -> pass(bytes, offset, length);
            case BROKEN -> refuseIfBroken();
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

    private int heldLimit(long size) {
        var type = response.getContentType();
        if (documents.mayHoldTags(type)) {
            return assembly.mostHeldBytes();
        }
        int buffer = response.getBufferSize();
        boolean isStream = Documents.isStream(type);
        if ((size <= buffer && !isStream) || !CommitGuard.isMeantPublic(exchange, response)) {
            return buffer;
        }
        return isStream ? 0 : Math.max(buffer, guard.lateReads().mostHeldBytes());
    }

    @Override
    public void flush() throws IOException {
        refuseIfBroken();
        if (state == State.CLOSED) {
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

    @Override
    public void close() throws IOException {
        if (isBroken()) {
            return;
        }
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
            forgetWriter();
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
        response.sendRedirect(withoutStamps(location), status, clearBuffer);
    }

    @Override
    public void addCookie(Cookie cookie) {
        var value = cookie.getValue();
        if (value != null) {
            cookie.setValue(withoutStamps(value));
        }
        response.addCookie(cookie);
    }

    /** Returns text of the head without stamps, which no swap finds there. */
    private String withoutStamps(String text) {
        return stamping.placeholder().removedFrom(text);
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
            exchange.noticed(Demotion.SESSION_ID_IN_URL);
        }
        return written;
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
            response.setHeader(name, value == null ? null : withoutStamps(value));
            keepWriterCharset();
        }
    }

    @Override
    public void addHeader(String name, String value) {
        if (isContentLength(name)) {
            setContentLengthLong(Long.parseLong(value));
        } else {
            exchange.fieldSet(name, true);
            response.addHeader(name, withoutStamps(value));
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
    public boolean isReady() {
        return state != State.PASSING || super.isReady();
    }

    /** Non-blocking writes go to the container directly: nothing is buffered from here. */
    @Override
    @Nullable
    public StampSwap unblock() throws IOException {
        if (state == State.HOLDING) {
            noteTags();
            release(false);
        }
        return removal;
    }
}
