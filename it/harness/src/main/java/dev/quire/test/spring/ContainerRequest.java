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
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.Collections;
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
        var made = new Sessions.ContainerSession(getServletContext());
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
            var place = Objects.requireNonNull(getRequestURI());
            var query = getQueryString();
            var type = getDispatcherType();
            var parameters = new LinkedHashMap<>(getParameterMap());
            try {
                forwardTo(target);
                servlet.service(request, answering);
            } finally {
                setPlace(place);
                setQueryString(query);
                setDispatcherType(type);
                removeAllParameters();
                setParameters(parameters);
            }
        }

        @Override
        public void include(ServletRequest request, ServletResponse answering) {
            throw new MockMvcApplication.NotByMockMvc(
                    "MockMvc does not perform includes: %s (assemble the page with Assembling.PROXY, or test over a port: @AutoConfigureEsi(mode = IN_APPLICATION))"
                            .formatted(target));
        }
    }

    /** Becomes the request as the target of a forward receives it. */
    private void forwardTo(String target) {
        if (getAttribute(RequestDispatcher.FORWARD_REQUEST_URI) == null) {
            setAttribute(RequestDispatcher.FORWARD_REQUEST_URI, getRequestURI());
            setAttribute(RequestDispatcher.FORWARD_CONTEXT_PATH, "");
            setAttribute(RequestDispatcher.FORWARD_SERVLET_PATH, getServletPath());
            setAttribute(RequestDispatcher.FORWARD_QUERY_STRING, getQueryString());
        }
        int mark = target.indexOf('?');
        setPlace(mark < 0 ? target : target.substring(0, mark));
        if (mark >= 0) {
            setQueryString(target.substring(mark + 1));
            parameters(getQueryString())
                    .forEach((name, values) -> {
                        var all = new ArrayList<>(List.of(values));
                        var before = getParameterValues(name);
                        if (before != null) {
                            Collections.addAll(all, before);
                        }
                        setParameter(name, all.toArray(String[]::new));
                    });
        }
        setDispatcherType(DispatcherType.FORWARD);
    }
}
