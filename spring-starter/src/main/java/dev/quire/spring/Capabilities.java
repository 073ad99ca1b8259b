package dev.quire.spring;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.springframework.util.StringUtils;

/** Whether a surrogate in front of us assembles pages (Edge Architecture 1.0 §2.1). */
record Capabilities(TrustedProxies trusted) {

    /**
     * The address the connection really came from, left by {@link PeerAddressValve} because
     * forwarding fields may replace the request's own.
     */
    static final String PEER = Capabilities.class.getName() + ".peer";

    /** Both spellings in use, since ESIGate's differs. */
    private static final List<String> FIELDS =
            List.of("Surrogate-Capability", "Surrogate-Capabilities");

    /** Whether the peer says that it processes ESI, and may be believed. */
    boolean assembles(HttpServletRequest request) {
        return saysSo(request) && trusted.trust(peer(request));
    }

    private static boolean saysSo(HttpServletRequest request) {
        for (var field : FIELDS) {
            for (var line : Collections.list(request.getHeaders(field))) {
                // token="cap/ver cap/ver", token=cap/ver: the token of the device does not matter
                for (var word : StringUtils.tokenizeToStringArray(line, " \t,=\"")) {
                    if (word.equals("ESI/1.0")) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** The address of the connection's other end. */
    static String peer(HttpServletRequest request) {
        if (request.getAttribute(PEER) instanceof String address) {
            return address;
        }
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        return innermost.getRemoteAddr();
    }
}
