package dev.quire.spring.internal.response;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A response whose head is accessed by one thread at a time. The code of an asynchronous request
 * writes fields while filters still write theirs, and containers mix up names and values of fields
 * that two threads add at once. Thread-safe, except for the body.
 */
public final class LockedHead extends HttpServletResponseWrapper {

    public LockedHead(HttpServletResponse response) {
        super(response);
    }

    @Override
    public synchronized void setStatus(int status) {
        super.setStatus(status);
    }

    @Override
    public synchronized void addCookie(Cookie cookie) {
        super.addCookie(cookie);
    }

    @Override
    public synchronized boolean containsHeader(String name) {
        return super.containsHeader(name);
    }

    @Override
    public synchronized @Nullable String getHeader(String name) {
        return super.getHeader(name);
    }

    @Override
    public synchronized Collection<String> getHeaders(String name) {
        return List.copyOf(super.getHeaders(name));
    }

    @Override
    public synchronized Collection<String> getHeaderNames() {
        return List.copyOf(super.getHeaderNames());
    }

    @Override
    public synchronized void setHeader(String name, @Nullable String value) {
        super.setHeader(name, value);
    }

    @Override
    public synchronized void addHeader(String name, String value) {
        super.addHeader(name, value);
    }

    @Override
    public synchronized void setIntHeader(String name, int value) {
        super.setIntHeader(name, value);
    }

    @Override
    public synchronized void addIntHeader(String name, int value) {
        super.addIntHeader(name, value);
    }

    @Override
    public synchronized void setDateHeader(String name, long date) {
        super.setDateHeader(name, date);
    }

    @Override
    public synchronized void addDateHeader(String name, long date) {
        super.addDateHeader(name, date);
    }

    @Override
    public synchronized void setContentType(@Nullable String type) {
        super.setContentType(type);
    }

    @Override
    public synchronized void setCharacterEncoding(@Nullable String charset) {
        super.setCharacterEncoding(charset);
    }

    @Override
    public synchronized void setLocale(Locale locale) {
        super.setLocale(locale);
    }

    @Override
    public synchronized void setContentLength(int length) {
        super.setContentLength(length);
    }

    @Override
    public synchronized void setContentLengthLong(long length) {
        super.setContentLengthLong(length);
    }

    @Override
    public synchronized void sendError(int status, @Nullable String message) throws IOException {
        super.sendError(status, message);
    }

    @Override
    public synchronized void sendError(int status) throws IOException {
        super.sendError(status);
    }

    @Override
    public synchronized void sendRedirect(String location, int status, boolean clearBuffer)
            throws IOException {
        super.sendRedirect(location, status, clearBuffer);
    }

    @Override
    public synchronized void reset() {
        super.reset();
    }

    @Override
    public synchronized void resetBuffer() {
        super.resetBuffer();
    }

    @Override
    public void flushBuffer() throws IOException {
        if (isCommitted()) {
            // Only the body is sent: a slow client must not hold up other threads.
            super.flushBuffer();
        } else {
            flushHead();
        }
    }

    private synchronized void flushHead() throws IOException {
        super.flushBuffer();
    }
}
