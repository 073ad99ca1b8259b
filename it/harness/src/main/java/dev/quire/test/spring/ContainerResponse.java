package dev.quire.test.spring;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.mock.web.MockHttpServletResponse;

/**
 * A response that accepts no more fields once it is committed, records whether its error page is
 * still to be rendered, and sets the session cookie as soon as there is a session.
 */
final class ContainerResponse extends MockHttpServletResponse {
    private static final int BUFFER_BYTES = 8192;

    private final HttpServletRequest request;
    private boolean sentError;

    ContainerResponse(HttpServletRequest request) {
        this.request = request;
        setBufferSize(BUFFER_BYTES);
    }

    @Override
    public void sendError(int status) throws IOException {
        resetBuffer();
        super.sendError(status);
        sentError = true;
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        resetBuffer();
        super.sendError(status, message);
        sentError = true;
    }

    /** Redirects to absolute URLs, as Tomcat does for Spring Boot. */
    @Override
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        super.sendRedirect(
                URI.create(request.getRequestURL().toString()).resolve(location).toString(),
                status,
                clearBuffer);
    }

    boolean sentError() {
        return sentError;
    }

    /** Accepts a page for {@code status} now; the fields are preserved. */
    void reopen(int status) {
        sentError = false;
        setCommitted(false);
        resetBuffer();
        setStatus(status);
    }

    void sessionCookie(String name, String id) {
        var lines =
                getHeaders("Set-Cookie").stream()
                        .filter(line -> !line.startsWith(name + "="))
                        .toList();
        setHeader("Set-Cookie", name + "=" + id + "; Path=/; HttpOnly");
        lines.forEach(line -> addHeader("Set-Cookie", line));
    }

    @Override
    public void setHeader(@Nullable String name, @Nullable String value) {
        if (!isCommitted()) {
            super.setHeader(name, value);
        }
    }

    @Override
    public void addHeader(@Nullable String name, @Nullable String value) {
        if (!isCommitted()) {
            super.addHeader(name, value);
        }
    }

    @Override
    public void addCookie(Cookie cookie) {
        if (!isCommitted()) {
            super.addCookie(cookie);
        }
    }

    @Override
    public void setContentType(@Nullable String type) {
        if (!isCommitted()) {
            super.setContentType(type);
        }
    }
}
