package dev.quire.test.spring;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.mock.web.MockHttpServletResponse;

/**
 * A response that takes no more fields once it is committed, knows whether it is an error that has
 * still to be shown, and bears the cookie of a session as soon as there is one.
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

    /** Clients are sent to whole URLs, as Tomcat does it for Spring Boot. */
    @Override
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        super.sendRedirect(
                URI.create(request.getRequestURL().toString()).resolve(location).toString(),
                status,
                clearBuffer);
    }

    /** Whether its page is still to be made. */
    boolean sentError() {
        return sentError;
    }

    /** Takes a page for {@code status} now; fields stay. */
    void reopen(int status) {
        sentError = false;
        setCommitted(false);
        resetBuffer();
        setStatus(status);
    }

    /** Has the client know its session by {@code id} from now on. */
    void sessionCookie(String name, String id) {
        var lines =
                getHeaders("Set-Cookie").stream()
                        .filter(line -> !line.startsWith(name + "="))
                        .toList();
        setHeader("Set-Cookie", name + "=" + id + "; Path=/; HttpOnly");
        lines.forEach(line -> addHeader("Set-Cookie", line));
    }

    @Override
    public void setStatus(int status) {
        if (!isCommitted()) {
            super.setStatus(status);
        }
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
