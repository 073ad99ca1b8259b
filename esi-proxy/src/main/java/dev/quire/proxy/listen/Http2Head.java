package dev.quire.proxy.listen;

import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.UpgradeRequest;
import dev.quire.proxy.config.LimitsConfig;
import dev.quire.proxy.listen.Incoming.Refused;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request of HTTP/2 in the terms of HTTP/1.1, for the checks of both: pseudo-fields
 * are separate, {@code :authority} is Host, the lines of Cookie are one (RFC 9113 §8.3, §8.2.3).
 *
 * @param target begins with a slash, or is an asterisk
 * @param fields with exactly one Host
 * @param isWebSocket whether it asks for a WebSocket by extended CONNECT (RFC 8441 §5); then it is
 *     a GET with a new {@code Sec-WebSocket-Key}
 */
record Http2Head(String method, Scheme scheme, String target, Fields fields, boolean isWebSocket) {
    private static final String COOKIE = "cookie";

    /** Checks the trailers of a request; returns null if they are well-formed. */
    static @Nullable Refused trailerFault(RequestLines lines) {
        for (int i = 0; i < lines.size(); i++) {
            var name = lines.name(i);
            if (name.startsWith(":")
                    || nameFault(name) != null
                    || valueFault(name, lines.value(i)) != null) {
                return Refused.of(RefusalReason.BAD_TRAILERS, name, true);
            }
        }
        return null;
    }

    /** Collects the head from lines, or finds the first fault. Used once. */
    static final class Reader {
        private final LimitsConfig limits;
        private final ArrayList<String> fields;
        private @Nullable String method;
        private @Nullable String scheme;
        private @Nullable String authority;
        private @Nullable String path;
        private @Nullable String protocol;
        private @Nullable String host;

        /** The lines of Cookie, joined. */
        private final StringBuilder cookies = new StringBuilder();

        private boolean hasFields;
        private @Nullable Refused fault;
        private @Nullable Http2Head head;

        Reader(RequestLines lines, LimitsConfig limits) {
            this.limits = limits;
            this.fields = new ArrayList<>(2 * lines.size() + 2);
            // The place of Host.
            fields.add("Host");
            fields.add("");
            for (int i = 0; i < lines.size() && fault == null; i++) {
                read(lines.name(i), lines.value(i));
            }
            if (!cookies.isEmpty()) {
                add(COOKIE, cookies.toString());
            }
            int count = fields.size() / 2;
            if (fault == null && count > limits.fields()) {
                refuse(RefusalReason.TOO_MANY_FIELDS, String.valueOf(count));
            }
            if (fault == null) {
                finish();
            }
        }

        /** Null unless the head is well-formed. */
        @Nullable Http2Head head() {
            return head;
        }

        /** Null if the head is well-formed. */
        @Nullable Refused fault() {
            return fault;
        }

        private void read(String name, String value) {
            if (name.startsWith(":")) {
                pseudo(name, value);
                return;
            }
            hasFields = true;
            var found = nameFault(name);
            if (found == null) {
                found = valueFault(name, value);
            }
            if (found != null) {
                fault = found;
            } else if (name.length() + value.length() > limits.fieldBytes()) {
                refuse(RefusalReason.FIELD_TOO_LONG, name);
            } else {
                field(name, value);
            }
        }

        private void pseudo(String name, String value) {
            boolean isKnown =
                    switch (name) {
                        case ":method" -> method == null;
                        case ":scheme" -> scheme == null;
                        case ":authority" -> authority == null;
                        case ":path" -> path == null;
                        case ":protocol" -> protocol == null;
                        default -> false;
                    };
            if (!isKnown || hasFields) {
                refuse(RefusalReason.BAD_PSEUDO_FIELD, name);
                return;
            }
            switch (name) {
                case ":method" -> method = value;
                case ":scheme" -> scheme = value;
                case ":authority" -> authority = value;
                case ":protocol" -> protocol = value;
                default -> path = value;
            }
        }

        private boolean isWebSocket() {
            return "websocket".equals(protocol);
        }

        private void field(String name, String value) {
            switch (name) {
                case "host" -> {
                    if (host != null) {
                        refuse(RefusalReason.NOT_ONE_HOST, value);
                    }
                    host = value;
                }
                case COOKIE -> cookie(value);
                // For a change of protocol, which is over (RFC 9113 §3.1).
                case "http2-settings" -> {}
                // That of an extended CONNECT is made by the proxy (RFC 8441 §5.1).
                case "sec-websocket-key" -> {}
                default -> {
                    // As in HTTP/1.1: some origins treat an underscore as a hyphen.
                    if (name.indexOf('_') < 0) {
                        add(name, value);
                    }
                }
            }
        }

        /** A client may send each pair as a line of its own (RFC 9113 §8.2.3). */
        private void cookie(String value) {
            if (!cookies.isEmpty()) {
                cookies.append("; ");
            }
            cookies.append(value);
            if (COOKIE.length() + cookies.length() > limits.fieldBytes()) {
                refuse(RefusalReason.FIELD_TOO_LONG, COOKIE);
            }
        }

        private void add(String name, String value) {
            fields.add(name);
            fields.add(value);
        }

        private void finish() {
            if (method == null) {
                refuse(RefusalReason.BAD_PSEUDO_FIELD, ":method is missing");
            } else if (method.equals("CONNECT") && !isWebSocket()) {
                var reason =
                        protocol == null
                                ? RefusalReason.METHOD_NOT_ALLOWED
                                : RefusalReason.UNKNOWN_PROTOCOL;
                refuse(reason, protocol == null ? method : protocol);
            } else if (protocol != null && !method.equals("CONNECT")) {
                refuse(RefusalReason.BAD_PSEUDO_FIELD, ":protocol " + protocol);
            } else if (scheme == null || path == null) {
                refuse(RefusalReason.BAD_PSEUDO_FIELD, ":scheme or :path is missing");
            } else if (path.length() > limits.requestLineBytes()) {
                refuse(RefusalReason.REQUEST_LINE_TOO_LONG, path);
            } else if (!isTarget(path)) {
                refuse(RefusalReason.BAD_PSEUDO_FIELD, ":path " + path);
            } else {
                located(method, scheme, path);
            }
        }

        private void located(String method, String scheme, String path) {
            var known = authority == null ? host : authority;
            if (known == null) {
                refuse(RefusalReason.NOT_ONE_HOST, "no :authority");
            } else if (host != null && !host.equalsIgnoreCase(known)) {
                refuse(RefusalReason.AUTHORITY_MISMATCH, host);
            } else if (!scheme.equals("http") && !scheme.equals("https")) {
                refuse(RefusalReason.BAD_SCHEME, scheme);
            } else {
                fields.set(1, known);
                if (isWebSocket()) {
                    add("sec-websocket-key", UpgradeRequest.WebSocket.newKey());
                }
                head =
                        new Http2Head(
                                isWebSocket() ? "GET" : method,
                                scheme.equals("http") ? Scheme.HTTP : Scheme.HTTPS,
                                path,
                                new RequestLines.Lines(fields),
                                isWebSocket());
            }
        }

        /** Whether it has the form of a target; {@link RequestValidator} checks the rest. */
        private static boolean isTarget(String path) {
            if (path.equals("*")) {
                return true;
            }
            for (int i = 0; i < path.length(); i++) {
                char c = path.charAt(i);
                if (c == '#' || !Grammar.isQuery(c)) {
                    return false;
                }
            }
            return path.startsWith("/");
        }

        private void refuse(RefusalReason reason, String offender) {
            fault = Refused.of(reason, offender, true);
        }
    }

    /** Names are tokens in lower case (RFC 9113 §8.2.1). */
    private static @Nullable Refused nameFault(String name) {
        if (name.isEmpty()) {
            return Refused.of(RefusalReason.BAD_FIELD_NAME, name, true);
        }
        if (name.length() > RequestValidator.FIELD_NAME_CHARACTERS) {
            return Refused.of(RefusalReason.FIELD_NAME_TOO_LONG, name, true);
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!FieldSyntax.isTokenChar(c) || (c >= 'A' && c <= 'Z')) {
                return Refused.of(RefusalReason.BAD_FIELD_NAME, name, true);
            }
        }
        return isOfConnection(name) ? Refused.of(RefusalReason.CONNECTION_FIELD, name, true) : null;
    }

    private static boolean isOfConnection(String name) {
        return switch (name) {
            case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade" ->
                    true;
            default -> false;
        };
    }

    /** Values have no blanks around them; TE is only {@code trailers} (RFC 9113 §8.2). */
    private static @Nullable Refused valueFault(String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            if (!FieldSyntax.isValueChar(value.charAt(i))) {
                return Refused.of(RefusalReason.BAD_FIELD_VALUE, name + ": " + value, true);
            }
        }
        int last = value.length() - 1;
        if (last >= 0 && (isBlank(value.charAt(0)) || isBlank(value.charAt(last)))) {
            return Refused.of(RefusalReason.BAD_FIELD_VALUE, name + ": " + value, true);
        }
        return name.equals("te") && !value.equalsIgnoreCase("trailers")
                ? Refused.of(RefusalReason.CONNECTION_FIELD, name + ": " + value, true)
                : null;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
