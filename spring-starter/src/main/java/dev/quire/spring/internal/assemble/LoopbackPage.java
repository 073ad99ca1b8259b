package dev.quire.spring.internal.assemble;

import dev.quire.core.http.Fields;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The data of a page's request that its fragments need when they are fetched over HTTP. It is read
 * once, on the page's thread, because a request belongs to one thread.
 *
 * @param fields the fields of the request, with the page's session if it is new
 * @param attributes the TLS attributes of the client's connection
 * @param allowance shared by all its fragments
 */
record LoopbackPage(
        Fields fields,
        String scheme,
        boolean isSecure,
        String serverName,
        int serverPort,
        String remoteAddress,
        String remoteHost,
        int remotePort,
        Map<String, Object> attributes,
        ByteBudget allowance) {

    private static final List<String> OF_TLS =
            List.of(
                    "jakarta.servlet.request.X509Certificate",
                    "jakarta.servlet.request.cipher_suite",
                    "jakarta.servlet.request.key_size",
                    "jakarta.servlet.request.ssl_session_id",
                    "jakarta.servlet.request.secure_protocol");

    LoopbackPage {
        attributes = Map.copyOf(attributes);
    }

    /**
     * Returns the data of {@code container}.
     *
     * @param container the page's request as created by the container
     * @param fields of that request
     */
    static LoopbackPage of(HttpServletRequest container, Fields fields, ByteBudget allowance) {
        var attributes = new HashMap<String, Object>();
        if (container.isSecure()) {
            for (var name : OF_TLS) {
                var value = container.getAttribute(name);
                if (value != null) {
                    attributes.put(name, value);
                }
            }
        }
        return new LoopbackPage(
                withSession(container, fields),
                container.getScheme(),
                container.isSecure(),
                container.getServerName(),
                container.getServerPort(),
                container.getRemoteAddr(),
                container.getRemoteHost(),
                container.getRemotePort(),
                attributes,
                allowance);
    }

    static Fields fieldsOf(HttpServletRequest request) {
        var fields = new Fields.Builder();
        for (var name : Collections.list(request.getHeaderNames())) {
            Collections.list(request.getHeaders(name)).forEach(value -> fields.add(name, value));
        }
        return fields.build();
    }

    /** Adds the cookie of a session that this page has started, before the other cookies. */
    private static Fields withSession(HttpServletRequest container, Fields fields) {
        var session = container.getSession(false);
        if (session == null || session.getId().equals(container.getRequestedSessionId())) {
            return fields;
        }
        var configured = container.getServletContext().getSessionCookieConfig().getName();
        var name = configured == null ? "JSESSIONID" : configured;
        var lines = new Fields.Builder().add("Cookie", name + "=" + session.getId());
        return lines.addAll(fields).build();
    }
}
