package dev.quire.spring.internal.assemble;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.spring.internal.fields.FragmentMark;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.Part;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The dispatched request for one fragment. It is a separate request, as a surrogate would send it:
 * it has the client's cookies and session and the page's connection, but nothing else of the page's
 * request (ESI 1.0 §3.1). A session that it creates is its own, because its cookies are withheld.
 *
 * <p>It wraps the container's own request and is forwarded, so that every filter sees an external
 * request: Tomcat selects filters by an attribute, which is {@code REQUEST}, or {@code ASYNC} once
 * an asynchronous handler has its result.
 */
public final class FragmentServletRequest extends HttpServletRequestWrapper {

    private static final String ACCEPT_LANGUAGE = "Accept-Language";
    private static final String DISPATCHER_TYPE = "org.apache.catalina.core.DISPATCHER_TYPE";

    /** Prefixes of the attributes for TLS and for JSP includes. */
    private static final List<String> OF_CONTAINER =
            List.of("jakarta.servlet.request.", "jakarta.servlet.include.");

    private final Map<String, Object> attributes = new HashMap<>();
    private final FragmentCall call;
    private final FragmentFields fields;
    private final CapturedResponse response;
    private final @Nullable String queryOfPage;
    private DispatcherType outside = DispatcherType.REQUEST;
    private boolean begun;
    private @Nullable String encoding;
    private @Nullable FragmentAsyncContext async;
    private @Nullable FragmentSession session;
    private @Nullable String parsedQuery;
    private Map<String, String[]> parameters = Map.of();

    /**
     * A request for a fragment.
     *
     * @param container the page's request as created by the container
     * @param client the fields of that request
     */
    FragmentServletRequest(
            HttpServletRequest container,
            Fields client,
            FragmentCall call,
            CapturedResponse response) {
        super(container);
        this.call = call;
        this.fields = new FragmentFields(client, call);
        this.response = response;
        this.queryOfPage = container.getQueryString();
        attributes.put(FragmentMark.ATTRIBUTE, FragmentMark.DISPATCH);
        dispatchAs(DispatcherType.REQUEST);
    }

    @Override
    public HttpSession getSession() {
        return Objects.requireNonNull(getSession(true));
    }

    @Override
    public @Nullable HttpSession getSession(boolean create) {
        var ofClient = super.getSession(false);
        if (ofClient != null) {
            return ofClient;
        }
        if (session != null && session.isInvalid()) {
            session = null;
        }
        if (session == null && create) {
            session = new FragmentSession(getServletContext());
        }
        return session;
    }

    @Override
    public String changeSessionId() {
        return session != null && super.getSession(false) == null
                ? session.changeId()
                : super.changeSessionId();
    }

    /** Whether the fragment created a session, which no client can return to. */
    boolean hasLostSession() {
        return session != null && !session.isInvalid();
    }

    @Override
    public String getMethod() {
        return call.method();
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        return isOfContainer(name) ? super.getAttribute(name) : attributes.get(name);
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
        if (value == null) {
            attributes.remove(name);
        } else if (name.equals(DISPATCHER_TYPE) && !begun) {
            begun = true;
            attributes.put(name, outside);
        } else {
            attributes.put(name, value);
        }
    }

    @Override
    public void removeAttribute(String name) {
        attributes.remove(name);
    }

    @Override
    public Enumeration<String> getAttributeNames() {
        return Collections.enumeration(List.copyOf(attributes.keySet()));
    }

    private static boolean isOfContainer(String name) {
        return OF_CONTAINER.stream().anyMatch(name::startsWith);
    }

    @Override
    public DispatcherType getDispatcherType() {
        return attributes.get(DISPATCHER_TYPE) instanceof DispatcherType type
                ? type
                : DispatcherType.REQUEST;
    }

    /** Returns the asynchronous handler that has not completed, or null. */
    @Nullable FragmentAsyncContext waiting() {
        return async;
    }

    /** Prepares the dispatch of an asynchronous handler that has its result. */
    void resume() {
        async = null;
        begun = false;
        dispatchAs(DispatcherType.ASYNC);
    }

    /** Called when the asynchronous handler has completed without a dispatch. */
    void complete() {
        async = null;
    }

    /** Sets the dispatcher type; without this attribute Tomcat dispatches nothing. */
    private void dispatchAs(DispatcherType type) {
        outside = type;
        attributes.put(DISPATCHER_TYPE, type);
    }

    @Override
    public boolean isAsyncSupported() {
        return true;
    }

    @Override
    public boolean isAsyncStarted() {
        return async != null;
    }

    @Override
    public AsyncContext startAsync() {
        return startAsync(this, response);
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse itsResponse) {
        if (async != null) {
            throw new IllegalStateException("the fragment is already asynchronous");
        }
        async = new FragmentAsyncContext(request, itsResponse, call.timeout());
        return async;
    }

    @Override
    public AsyncContext getAsyncContext() {
        if (async == null) {
            throw new IllegalStateException("the fragment is not asynchronous");
        }
        return async;
    }

    @Override
    public @Nullable String getHeader(String name) {
        return fields.first(name);
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
        return Collections.enumeration(fields.all(name));
    }

    @Override
    public Enumeration<String> getHeaderNames() {
        return Collections.enumeration(fields.names());
    }

    @Override
    public long getDateHeader(String name) {
        var value = fields.first(name);
        return value == null
                ? -1
                : HttpDate.parse(value)
                        .orElseThrow(() -> new IllegalArgumentException(name + " is not a date"))
                        .toEpochMilli();
    }

    @Override
    public int getIntHeader(String name) {
        var value = fields.first(name);
        return value == null ? -1 : Integer.parseInt(value);
    }

    @Override
    public Cookie @Nullable [] getCookies() {
        return fields.isOwn("Cookie") ? cookies(fields.all("Cookie")) : super.getCookies();
    }

    private static Cookie @Nullable [] cookies(List<String> lines) {
        var cookies = new ArrayList<Cookie>();
        for (var line : lines) {
            for (var pair : FieldList.split(line, ';')) {
                var cookie = cookie(pair);
                if (cookie != null) {
                    cookies.add(cookie);
                }
            }
        }
        return cookies.isEmpty() ? null : cookies.toArray(Cookie[]::new);
    }

    /** Returns {@code pair} as a cookie, or null if its name is invalid. */
    private static @Nullable Cookie cookie(String pair) {
        int equals = pair.indexOf('=');
        if (equals <= 0) {
            return null;
        }
        try {
            return new Cookie(
                    pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
        } catch (IllegalArgumentException noName) {
            return null;
        }
    }

    @Override
    public Locale getLocale() {
        return getLocales().nextElement();
    }

    @Override
    public Enumeration<Locale> getLocales() {
        if (!fields.isOwn(ACCEPT_LANGUAGE)) {
            return super.getLocales();
        }
        var locales = new ArrayList<Locale>();
        try {
            Locale.LanguageRange.parse(String.join(",", fields.all(ACCEPT_LANGUAGE)))
                    .forEach(range -> locales.add(Locale.forLanguageTag(range.getRange())));
        } catch (IllegalArgumentException malformed) {
            locales.clear();
        }
        return Collections.enumeration(locales.isEmpty() ? List.of(Locale.getDefault()) : locales);
    }

    /**
     * Returns the fragment's query, or that of a forward inside it. A dispatch without a query
     * keeps the page's query, which does not belong to the fragment.
     */
    @Override
    public @Nullable String getQueryString() {
        var current = super.getQueryString();
        if (current != null && !current.equals(queryOfPage)) {
            return current;
        }
        return call.query().isEmpty() ? null : call.query();
    }

    /** Returns the fragment's parameters; after a forward inside it, those of the forward first. */
    private Map<String, String[]> parameters() {
        var current = getQueryString();
        if (parsedQuery == null || !parsedQuery.equals(current)) {
            var values = new LinkedHashMap<String, List<String>>();
            collect(current == null ? "" : current, values);
            if (current != null && !current.equals(call.query())) {
                collect(call.query(), values);
            }
            if (isForm()) {
                collect(call.body(), values);
            }
            parameters = new LinkedHashMap<>();
            values.forEach((name, all) -> parameters.put(name, all.toArray(String[]::new)));
            parsedQuery = current == null ? "" : current;
        }
        return parameters;
    }

    private boolean isForm() {
        var type = getContentType();
        return type != null
                && type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded");
    }

    private static void collect(String query, Map<String, List<String>> values) {
        for (var pair : query.split("&", -1)) {
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                var name = equals < 0 ? pair : pair.substring(0, equals);
                var value = equals < 0 ? "" : pair.substring(equals + 1);
                add(name, value, values);
            }
        }
    }

    /** A parameter with a malformed escape is dropped, as in the container. */
    private static void add(String name, String value, Map<String, List<String>> values) {
        String decodedName;
        String decodedValue;
        try {
            decodedName = URLDecoder.decode(name, StandardCharsets.UTF_8);
            decodedValue = URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return;
        }
        values.computeIfAbsent(decodedName, ignored -> new ArrayList<>()).add(decodedValue);
    }

    @Override
    public @Nullable String getParameter(String name) {
        var values = parameters().get(name);
        return values == null ? null : values[0];
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        var values = parameters().get(name);
        return values == null ? null : values.clone();
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        return Collections.unmodifiableMap(parameters());
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(parameters().keySet());
    }

    @Override
    public int getContentLength() {
        return call.body().isEmpty() ? -1 : call.body().length();
    }

    @Override
    public long getContentLengthLong() {
        return getContentLength();
    }

    @Override
    public @Nullable String getContentType() {
        return fields.first("Content-Type");
    }

    @Override
    public @Nullable String getCharacterEncoding() {
        return encoding;
    }

    @Override
    public void setCharacterEncoding(@Nullable String name) {
        encoding = name;
    }

    @Override
    public Collection<Part> getParts() {
        return List.of();
    }

    @Override
    public @Nullable Part getPart(String name) {
        return null;
    }

    @Override
    public BufferedReader getReader() throws UnsupportedEncodingException {
        return new BufferedReader(new StringReader(new String(call.bytes(), charset())));
    }

    private Charset charset() throws UnsupportedEncodingException {
        if (encoding == null) {
            return StandardCharsets.ISO_8859_1;
        }
        try {
            return Charset.forName(encoding);
        } catch (IllegalArgumentException unknown) {
            throw new UnsupportedEncodingException(encoding);
        }
    }

    @Override
    public ServletInputStream getInputStream() {
        return new Body(new ByteArrayInputStream(call.bytes()));
    }

    private static final class Body extends ServletInputStream {

        private final ByteArrayInputStream bytes;

        Body(ByteArrayInputStream bytes) {
            this.bytes = bytes;
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            return bytes.read(into, offset, length);
        }

        @Override
        public boolean isFinished() {
            return bytes.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new IllegalStateException(
                    "the body of a fragment's request is already in memory; read listeners are not supported");
        }
    }
}
