package dev.quire.test.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.wire.Request;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.util.StringUtils;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.UriUtils;

/**
 * A client's request as a servlet container presents it, with the session of its cookie. It can be
 * dispatched again: to an error page, and by a forward.
 */
final class ContainerRequest extends MockHttpServletRequest {
    private static final String FORM = "application/x-www-form-urlencoded";

    private final Servlet servlet;
    private final String sessionCookie;
    private final ContainerResponse response = new ContainerResponse(this);

    /**
     * Parses {@code asked}.
     *
     * @throws IllegalArgumentException if a container would reject it
     */
    ContainerRequest(DispatcherServlet servlet, Request asked, Sessions sessions) {
        super(servlet.getServletContext(), asked.method(), asked.path());
        this.servlet = servlet;
        this.sessionCookie = sessionCookie(servlet.getServletContext());
        // throws if it is not a valid URI
        var target = URI.create("http://localhost" + asked.target());
        setPlace(target.getRawPath());
        setQueryString(target.getRawQuery());
        setProtocol("HTTP/1.1");
        setAsyncSupported(true);
        setHost(asked.field("Host"));
        asked.fields()
                .forEach((name, value) -> {
                    if (!name.equalsIgnoreCase("Cookie")) {
                        addHeader(name, value);
                    }
                });
        setCookies(asked.fields().all("Cookie"));
        setContent(asked.body().bytes());
        parameters(getQueryString()).forEach(this::addParameter);
        var type = getContentType();
        if (asked.method().equals("POST")
                && type != null
                && type.toLowerCase(Locale.ROOT).startsWith(FORM)) {
            parameters(asked.body().text()).forEach(this::addParameter);
        }
        findSession(sessions);
    }

    ContainerResponse response() {
        return response;
    }

    /** Its context after asynchronous processing has started. */
    MockAsyncContext startedAsync() {
        return Objects.requireNonNull((MockAsyncContext) getAsyncContext(), "it is asynchronous");
    }

    private static String sessionCookie(ServletContext context) {
        var name = context.getSessionCookieConfig().getName();
        return name == null ? "JSESSIONID" : name;
    }

    private void setPlace(String path) {
        setRequestURI(path);
        setServletPath(UriUtils.decode(path, UTF_8));
    }

    private void setHost(@Nullable String host) {
        if (host != null) {
            var authority = URI.create("http://" + host);
            setServerName(authority.getHost() == null ? host : authority.getHost());
            setServerPort(authority.getPort() < 0 ? 80 : authority.getPort());
        }
    }

    private void setCookies(List<String> lines) {
        var cookies = new ArrayList<Cookie>();
        for (var line : lines) {
            for (var pair : line.split(";", -1)) {
                int equals = pair.indexOf('=');
                if (equals > 0) {
                    cookies.add(
                            new Cookie(
                                    pair.substring(0, equals).strip(),
                                    pair.substring(equals + 1).strip()));
                }
            }
        }
        if (!cookies.isEmpty()) {
            setCookies(cookies.toArray(Cookie[]::new));
        }
    }

    /** The parameters of a query or a form body, by name. */
    private static Map<String, String[]> parameters(@Nullable String pairs) {
        var all = new LinkedHashMap<String, String[]>();
        for (var pair : pairs == null ? new String[0] : pairs.split("&", -1)) {
            int equals = pair.indexOf('=');
            var name = URLDecoder.decode(equals < 0 ? pair : pair.substring(0, equals), UTF_8);
            var value = equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), UTF_8);
            if (!name.isEmpty()) {
                all.merge(name, new String[] {value}, StringUtils::concatenateStringArrays);
            }
        }
        return all;
    }

    private void findSession(Sessions sessions) {
        var cookies = getCookies();
        if (cookies == null) {
            return;
        }
        for (var cookie : cookies) {
            if (cookie.getName().equals(sessionCookie)) {
                setRequestedSessionId(cookie.getValue());
                setRequestedSessionIdFromCookie(true);
                var session = sessions.find(cookie.getValue());
                setRequestedSessionIdValid(session != null);
                if (session != null) {
                    setSession(session);
                    return;
                }
            }
        }
    }

    @Override
    public @Nullable HttpSession getSession(boolean create) {
        return create ? getSession() : super.getSession(false);
    }

    @Override
    public HttpSession getSession() {
        var session = super.getSession(false);
        if (session != null) {
            return session;
        }
        if (response.isCommitted()) {
            throw new IllegalStateException(
                    "Cannot create a session after the response has been committed");
        }
        var made = new ContainerSession(getServletContext());
        setSession(made);
        made.setNew(true);
        response.sessionCookie(sessionCookie, made.getId());
        return made;
    }

    @Override
    public String changeSessionId() {
        var id = super.changeSessionId();
        response.sessionCookie(sessionCookie, id);
        return id;
    }

    void toErrorPage(
            String page, int status, @Nullable String message, @Nullable Throwable thrown) {
        setDispatcherType(DispatcherType.ERROR);
        setAttribute(RequestDispatcher.ERROR_STATUS_CODE, status);
        setAttribute(RequestDispatcher.ERROR_MESSAGE, message == null ? "" : message);
        setAttribute(RequestDispatcher.ERROR_REQUEST_URI, getRequestURI());
        setAttribute(RequestDispatcher.ERROR_METHOD, getMethod());
        setAttribute(RequestDispatcher.ERROR_SERVLET_NAME, "dispatcherServlet");
        if (thrown != null) {
            setAttribute(RequestDispatcher.ERROR_EXCEPTION, thrown);
            setAttribute(RequestDispatcher.ERROR_EXCEPTION_TYPE, thrown.getClass());
        }
        setPlace(page);
    }

    @Override
    public RequestDispatcher getRequestDispatcher(String path) {
        return new Forward(path);
    }

    /** A forward, handled by the same servlet; filters do not run again. */
    private final class Forward implements RequestDispatcher {
        private final String target;

        Forward(String target) {
            this.target = target;
        }

        @Override
        public void forward(ServletRequest request, ServletResponse answering)
                throws ServletException, IOException {
            if (target.startsWith("/WEB-INF/") || target.endsWith(".jsp")) {
                throw new MockMvcApplication.NotByMockMvc(
                        "MockMvc does not render JSPs: %s (test over a port: @AutoConfigureEsi(mode = LIVE) or PROXY)"
                                .formatted(target));
            }
            answering.resetBuffer();
            servlet.service(new Forwarded((HttpServletRequest) request, target), answering);
        }

        @Override
        public void include(ServletRequest request, ServletResponse answering) {
            throw new MockMvcApplication.NotByMockMvc(
                    "MockMvc does not perform includes: %s (assemble the page with Assembling.PROXY, or test over a port: @AutoConfigureEsi(mode = IN_APPLICATION))"
                            .formatted(target));
        }
    }

    /** The request as the target of the forward receives it. */
    private static final class Forwarded extends HttpServletRequestWrapper {
        private final String path;
        private final @Nullable String query;
        private final Map<String, String[]> parameters;

        Forwarded(HttpServletRequest request, String target) {
            super(request);
            int mark = target.indexOf('?');
            path = mark < 0 ? target : target.substring(0, mark);
            query = mark < 0 ? request.getQueryString() : target.substring(mark + 1);
            parameters = new LinkedHashMap<>(mark < 0 ? Map.of() : parameters(query));
            request.getParameterMap()
                    .forEach((name, values) ->
                            parameters.merge(name, values, StringUtils::concatenateStringArrays));
            if (request.getAttribute(RequestDispatcher.FORWARD_REQUEST_URI) == null) {
                request.setAttribute(
                        RequestDispatcher.FORWARD_REQUEST_URI, request.getRequestURI());
                request.setAttribute(RequestDispatcher.FORWARD_CONTEXT_PATH, "");
                request.setAttribute(
                        RequestDispatcher.FORWARD_SERVLET_PATH, request.getServletPath());
                request.setAttribute(
                        RequestDispatcher.FORWARD_QUERY_STRING, request.getQueryString());
            }
        }

        @Override
        public String getRequestURI() {
            return path;
        }

        @Override
        public StringBuffer getRequestURL() {
            return new StringBuffer("http://").append(getHeader("Host")).append(path);
        }

        @Override
        public String getServletPath() {
            return UriUtils.decode(path, UTF_8);
        }

        @Override
        public @Nullable String getQueryString() {
            return query;
        }

        @Override
        public @Nullable String getParameter(String name) {
            var values = parameters.get(name);
            return values == null ? null : values[0];
        }

        @Override
        public String @Nullable [] getParameterValues(String name) {
            return parameters.get(name);
        }

        @Override
        public Enumeration<String> getParameterNames() {
            return Collections.enumeration(parameters.keySet());
        }

        @Override
        public Map<String, String[]> getParameterMap() {
            return Collections.unmodifiableMap(parameters);
        }

        @Override
        public DispatcherType getDispatcherType() {
            return DispatcherType.FORWARD;
        }
    }
}
