package dev.quire.spring;

import dev.quire.core.http.Stamp;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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

    /** The word that is a stamp, with the blanks in front of it. */
    private static final Pattern STAMP =
            Pattern.compile("[ \\t]*" + Pattern.quote(Stamp.CAPABILITY) + "([^ \\t\",;]*)");

    /** Whether the peer says that it processes ESI, and may be believed. */
    boolean assembles(HttpServletRequest request) {
        return saysSo(request) && trusted.trust(peer(request));
    }

    /**
     * The stamp the peer has drawn for this request, or null if it announces none or may not be
     * believed. The last one counts: of several surrogates that is the nearest.
     */
    @Nullable Stamp stamp(HttpServletRequest request) {
        Stamp last = null;
        for (var line : Collections.list(request.getHeaders(FIELDS.getFirst()))) {
            var words = STAMP.matcher(line);
            while (words.find()) {
                last = Stamp.isStamp(words.group(1)) ? new Stamp(words.group(1)) : null;
            }
        }
        return last != null && assembles(request) ? last : null;
    }

    /** Whether anybody says something of a stamp. */
    static boolean saysStamp(HttpServletRequest request) {
        for (var field : FIELDS) {
            var lines = request.getHeaders(field);
            while (lines.hasMoreElements()) {
                if (lines.nextElement().contains(Stamp.CAPABILITY)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether {@code name} is the field surrogates announce themselves in. */
    static boolean isField(String name) {
        return FIELDS.getFirst().equalsIgnoreCase(name) || FIELDS.getLast().equalsIgnoreCase(name);
    }

    /** A line of that field, without stamps. */
    static String withoutStamp(String line) {
        return STAMP.matcher(line).replaceAll("");
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
