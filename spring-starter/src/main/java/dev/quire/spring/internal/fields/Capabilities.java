package dev.quire.spring.internal.fields;

import dev.quire.core.http.Stamp;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** The announced capabilities of a surrogate in front (Edge Architecture 1.0 §2.1). */
public record Capabilities(TrustedProxies trusted) {

    /**
     * Request attribute with the peer address of the connection, where a container sets it:
     * forwarding fields may replace the request's remote address.
     */
    public static final String PEER = Capabilities.class.getName() + ".peer";

    /** Both spellings in use; ESIGate's differs. */
    private static final List<String> FIELDS =
            List.of("Surrogate-Capability", "Surrogate-Capabilities");

    /** The stamp in the field, with the spaces before it. */
    private static final Pattern STAMP =
            Pattern.compile("[ \\t]*" + Pattern.quote(Stamp.CAPABILITY) + "([^ \\t\",;]*)");

    /** Whether the peer announces ESI processing and is trusted. */
    public boolean assembles(HttpServletRequest request) {
        return saysSo(request) && trusted.trust(peer(request));
    }

    /**
     * Returns the stamp that the peer announces for this request, or null if it announces none or
     * is not trusted. Of several stamps the last counts: it is from the nearest surrogate.
     */
    @Nullable
    public Stamp stamp(HttpServletRequest request) {
        Stamp last = null;
        for (var line : Collections.list(request.getHeaders(FIELDS.getFirst()))) {
            var words = STAMP.matcher(line);
            while (words.find()) {
                last = Stamp.isStamp(words.group(1)) ? new Stamp(words.group(1)) : null;
            }
        }
        return last != null && assembles(request) ? last : null;
    }

    /** Whether the request announces any stamp, trusted or not. */
    public static boolean saysStamp(HttpServletRequest request) {
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

    /** Whether {@code name} is a field in which surrogates announce themselves. */
    public static boolean isField(String name) {
        return FIELDS.getFirst().equalsIgnoreCase(name) || FIELDS.getLast().equalsIgnoreCase(name);
    }

    public static String withoutStamp(String line) {
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

    /** Returns the peer address of the connection. */
    public static String peer(HttpServletRequest request) {
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
