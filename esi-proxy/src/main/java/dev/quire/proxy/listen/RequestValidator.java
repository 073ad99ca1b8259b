package dev.quire.proxy.listen;

import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.http.UriPath;
import dev.quire.core.policy.CdnLoop;
import dev.quire.core.policy.HopByHop;
import dev.quire.core.policy.RequestFields;
import dev.quire.core.policy.SignedVariant;
import dev.quire.core.policy.UpgradeRequest;
import dev.quire.core.policy.Via;
import dev.quire.proxy.listen.Incoming.Refused;
import dev.quire.proxy.listen.Incoming.Sound;
import dev.quire.proxy.listen.Incoming.ValidationResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that two parsers could interpret differently: in body length, host or path. Each
 * connection has its own. Confined to the connection's loop.
 *
 * <p>Stricter than RFC 9112 where attacks exploit leniency: Transfer-Encoding with Content-Length
 * is refused.
 */
final class RequestValidator {
    static final int METHOD_CHARACTERS = 32;

    /** Servers have limits of their own for names. */
    static final int FIELD_NAME_CHARACTERS = 1024;

    /** Up to 18 digits fit into a long. */
    private static final int LENGTH_DIGITS = 18;

    /** The supported HTTP versions. */
    enum Version {
        HTTP_1_0,
        HTTP_1_1,
        HTTP_2
    }

    private final Scheme scheme;
    private final Supplier<Optional<String>> defaultHost;
    private final Predicate<String> invalidates;
    private final Predicate<String> covered;

    /** The last authority that is covered: the requests of a connection have the same one. */
    private String lastCovered = "";

    /**
     * @param scheme of the listener; an absolute-form target must have it, and {@code :scheme}
     *     unless the peer is trusted
     * @param covered whether requests for this authority may come by this connection
     * @param defaultHost the authority of requests of HTTP/1.0 without Host
     * @param invalidates whether this method, PURGE or BAN, is answered
     */
    RequestValidator(
            Scheme scheme,
            Predicate<String> covered,
            Supplier<Optional<String>> defaultHost,
            Predicate<String> invalidates) {
        this.scheme = scheme;
        this.covered = covered;
        this.defaultHost = defaultHost;
        this.invalidates = invalidates;
    }

    ValidationResult check(String method, String target, Version version, Fields fields) {
        return check(method, target, fields, new Lines(version, scheme, false));
    }

    /**
     * Checks a request of HTTP/2.
     *
     * @param isEnded whether it has no body
     * @param isTrusted whether the peer may say which scheme the client used
     */
    ValidationResult check(Http2Head head, boolean isEnded, boolean isTrusted) {
        var claimed = head.scheme();
        if (claimed != scheme && !isTrusted) {
            return refuse(RefusalReason.BAD_SCHEME, claimed.text());
        }
        if (head.isWebSocket() && isEnded) {
            return refuse(RefusalReason.BAD_PSEUDO_FIELD, ":protocol in a request that has ended");
        }
        return check(
                head.method(),
                head.target(),
                head.fields(),
                new Lines(Version.HTTP_2, claimed, isEnded || head.isWebSocket())
                        .asking(head.isWebSocket()));
    }

    private ValidationResult check(String method, String target, Fields fields, Lines lines) {
        fields.forEach(lines);

        var refused = methodFault(method);
        if (refused == null) {
            refused = lines.fault();
        }
        if (refused == null) {
            refused = lines.framingFault();
        }
        return refused != null ? refused : located(method, target, fields, lines);
    }

    private ValidationResult located(String method, String target, Fields fields, Lines lines) {
        var host = lines.host;
        if (lines.hosts > 1 || (host == null && lines.version != Version.HTTP_1_0)) {
            return refuse(RefusalReason.NOT_ONE_HOST, lines.hosts + " Host fields");
        }
        if (host != null && !Authority.isSane(host)) {
            return refuse(RefusalReason.BAD_HOST, host);
        }
        if (target.startsWith("/") || target.equals("*")) {
            var authority = host == null ? defaultHost.get().orElse(null) : host;
            return authority == null
                    ? refuse(RefusalReason.NO_DEFAULT_HOST, target)
                    : answerable(method, authority, target, lines.usable(fields, authority), lines);
        }
        var prefix = scheme.text() + "://";
        if (!target.regionMatches(true, 0, prefix, 0, prefix.length())) {
            return refuse(RefusalReason.BAD_TARGET, target);
        }
        int end = authorityEnd(target, prefix.length());
        var authority = target.substring(prefix.length(), end);
        if (!Authority.isSane(authority)) {
            return refuse(RefusalReason.BAD_TARGET, target);
        }
        return answerable(
                method,
                authority,
                originForm(method, target.substring(end)),
                lines.usable(fields, authority),
                lines);
    }

    private ValidationResult answerable(
            String method, String authority, String target, Fields fields, Lines lines) {
        if (!isSaneTarget(method, target)) {
            return refuse(RefusalReason.BAD_TARGET, target);
        }
        if (UriPath.hasDotSegment(target)) {
            return refuse(RefusalReason.DOT_SEGMENT, target);
        }
        var head = new RequestHead(method, lines.scheme, authority, target, fields);
        boolean isHttp10 = lines.version == Version.HTTP_1_0;
        var sound =
                new Sound(
                        head,
                        isHttp10,
                        lines.keepAlive(),
                        lines.bodyBytes(),
                        lines.expectsContinue(),
                        lines.upgrade(head));
        if (lines.asksForWebSocket && sound.upgrade() == null) {
            return refuse(RefusalReason.BAD_WEBSOCKET, target);
        }
        if (!isCovered(authority)) {
            return refuse(RefusalReason.NOT_COVERED, authority, sound);
        }
        if (isNotForClients(method)) {
            return refuse(RefusalReason.METHOD_NOT_ALLOWED, method, sound);
        }
        if (lines.unknownExpectation != null) {
            return refuse(RefusalReason.UNKNOWN_EXPECTATION, lines.unknownExpectation, sound);
        }
        if (lines.hasPassed) {
            return refuse(RefusalReason.LOOP, CdnLoop.FIELD, sound);
        }
        return lines.ownHops > 1 ? refuse(RefusalReason.LOOP, "Via", sound) : sound;
    }

    private boolean isCovered(String authority) {
        if (authority.equals(lastCovered)) {
            return true;
        }
        boolean isCovered = covered.test(authority);
        if (isCovered) {
            lastCovered = authority;
        }
        return isCovered;
    }

    /** TRACE reveals fields; PURGE and BAN are for this cache, and never for the origin. */
    private boolean isNotForClients(String method) {
        return switch (method) {
            case "TRACE" -> true;
            case "PURGE", "BAN" -> !invalidates.test(method);
            default -> false;
        };
    }

    private static @Nullable Refused methodFault(String method) {
        if (!FieldSyntax.isToken(method)) {
            return refuse(RefusalReason.BAD_METHOD, method);
        }
        if (method.length() > METHOD_CHARACTERS) {
            return refuse(RefusalReason.METHOD_TOO_LONG, method);
        }
        // A client that requests a tunnel may send tunnel data immediately.
        return method.equals("CONNECT") ? refuse(RefusalReason.METHOD_NOT_ALLOWED, method) : null;
    }

    private static int authorityEnd(String target, int from) {
        int end = from;
        while (end < target.length() && "/?#".indexOf(target.charAt(end)) < 0) {
            end++;
        }
        return end;
    }

    /** RFC 9112 §3.2.4: OPTIONS without a path refers to the server. */
    private static String originForm(String method, String rest) {
        if (rest.isEmpty()) {
            return method.equals("OPTIONS") ? "*" : "/";
        }
        return rest.startsWith("/") ? rest : "/" + rest;
    }

    /**
     * Clients do not encode all characters in queries as RFC 3986 requires, and no server decides
     * by them what the query is, so they pass as received. Paths are strict.
     */
    private static boolean isSaneTarget(String method, String target) {
        if (target.equals("*")) {
            return method.equals("OPTIONS");
        }
        int query = target.indexOf('?');
        int end = query < 0 ? target.length() : query;
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            boolean isAllowed = i < end ? Grammar.isVisible(c) && c != '\\' : Grammar.isQuery(c);
            if (!isAllowed || c == '#') {
                return false;
            }
            int decoded = c == '%' ? Grammar.decoded(target, i) : c;
            if (decoded == 0 || (decoded < 0 && i < end)) {
                return false;
            }
        }
        return true;
    }

    private static Refused refuse(RefusalReason reason, String offender) {
        return Refused.of(reason, offender, true);
    }

    /** Refuses a valid request; without a body the connection can continue. */
    private static Refused refuse(RefusalReason reason, String offender, Sound request) {
        return Refused.of(reason, offender, request.hasBody() || !request.keepAlive());
    }

    /** Collects facts from one pass over the field lines. */
    private static final class Lines implements BiConsumer<String, String> {
        private final Version version;
        private final Scheme scheme;
        private final boolean isEnded;
        private @Nullable Refused fault;
        private @Nullable String host;
        private int hosts;
        private boolean underscores;
        private @Nullable String contentLength;
        private int contentLengths;
        private @Nullable String coding;
        private int codings;
        private boolean close;
        private boolean keepAlive;
        private boolean continues;
        private @Nullable String unknownExpectation;
        private int ownHops;
        private boolean hasPassed;
        private boolean upgrades;
        private boolean asksForWebSocket;

        /**
         * @param scheme of the request
         * @param isEnded whether a request of HTTP/2 has no body
         */
        Lines(Version version, Scheme scheme, boolean isEnded) {
            this.version = version;
            this.scheme = scheme;
            this.isEnded = isEnded;
        }

        /** Sets whether it is an extended CONNECT. */
        Lines asking(boolean isForWebSocket) {
            asksForWebSocket = isForWebSocket;
            return this;
        }

        @Nullable UpgradeRequest upgrade(RequestHead head) {
            if (asksForWebSocket) {
                return UpgradeRequest.extended(head);
            }
            return upgrades
                    ? UpgradeRequest.of(head, version == Version.HTTP_1_0, bodyBytes() != 0)
                    : null;
        }

        @Override
        public void accept(String name, String value) {
            if (name.length() > FIELD_NAME_CHARACTERS) {
                found(RefusalReason.FIELD_NAME_TOO_LONG, name.substring(0, 64));
                return;
            }
            if (!FieldSyntax.isToken(name)) {
                found(RefusalReason.BAD_FIELD_NAME, name);
                return;
            }
            for (int i = 0; i < value.length(); i++) {
                if (!FieldSyntax.isValueChar(value.charAt(i))) {
                    found(RefusalReason.BAD_FIELD_VALUE, name + ": " + value);
                    return;
                }
            }
            underscores |= name.indexOf('_') >= 0;
            known(name, value);
        }

        /** Switches on the length, because most fields are not listed. */
        private void known(String name, String value) {
            switch (name.length()) {
                case 3 -> {
                    if (name.equalsIgnoreCase("Via")) {
                        via(value);
                    }
                }
                case 4 -> {
                    if (name.equalsIgnoreCase("Host")) {
                        host = value;
                        hosts++;
                    }
                }
                case 6 -> {
                    if (name.equalsIgnoreCase("Expect")) {
                        expect(value);
                    }
                }
                case 7 -> upgrades |= name.equalsIgnoreCase("Upgrade");
                case 8 -> {
                    if (name.equalsIgnoreCase(CdnLoop.FIELD)) {
                        hasPassed |= CdnLoop.names(value);
                    }
                }
                case 10 -> {
                    if (name.equalsIgnoreCase("Connection")) {
                        connection(value);
                    }
                }
                case 14 -> {
                    if (name.equalsIgnoreCase("Content-Length")) {
                        contentLength = value;
                        contentLengths++;
                    }
                }
                case 17 -> {
                    if (name.equalsIgnoreCase("Transfer-Encoding")) {
                        coding = value;
                        codings++;
                    }
                }
                default -> {}
            }
        }

        private void via(String value) {
            // A single Quire in front is not a loop; passing this proxy again is.
            ownHops += Via.ownHops(value);
        }

        private void expect(String value) {
            if (value.equalsIgnoreCase("100-continue")) {
                continues = true;
            } else {
                unknownExpectation = value;
            }
        }

        private void connection(String value) {
            for (var member : value.split(",", -1)) {
                var option = member.strip();
                if (option.isEmpty()) {
                    continue;
                }
                if (!FieldSyntax.isToken(option) || mattersEndToEnd(option)) {
                    found(RefusalReason.BAD_CONNECTION, value);
                }
                close |= option.equalsIgnoreCase("close");
                keepAlive |= option.equalsIgnoreCase("keep-alive");
            }
        }

        private static boolean mattersEndToEnd(String name) {
            return switch (name.toLowerCase(Locale.ROOT)) {
                case "host",
                        "content-length",
                        "transfer-encoding",
                        "authorization",
                        "cookie",
                        "cache-control",
                        "forwarded" ->
                        true;
                default ->
                        RequestFields.isForwarded(name)
                                || HopByHop.isSurrogate(name)
                                || name.equalsIgnoreCase(SignedVariant.FIELD);
            };
        }

        private void found(RefusalReason reason, String offender) {
            if (fault == null) {
                fault = refuse(reason, offender);
            }
        }

        @Nullable Refused fault() {
            return fault;
        }

        @Nullable Refused framingFault() {
            if (coding != null) {
                return codingFault(coding);
            }
            if (contentLengths > 1 || (contentLength != null && !isLength(contentLength))) {
                return refuse(
                        RefusalReason.BAD_CONTENT_LENGTH, contentLengths + " " + contentLength);
            }
            if (isEnded && contentLength != null && bodyBytes() != Long.parseLong(contentLength)) {
                return refuse(RefusalReason.BAD_CONTENT_LENGTH, contentLength);
            }
            return null;
        }

        private @Nullable Refused codingFault(String value) {
            if (contentLength != null) {
                return refuse(RefusalReason.LENGTH_AND_CODING, value);
            }
            if (codings > 1 || version == Version.HTTP_1_0) {
                return refuse(RefusalReason.BAD_TRANSFER_ENCODING, value);
            }
            var members = value.split(",", -1);
            for (int i = 0; i < members.length; i++) {
                var member = members[i].strip();
                boolean last = i == members.length - 1;
                if (!FieldSyntax.isToken(member) || last != member.equalsIgnoreCase("chunked")) {
                    return refuse(
                            last && members.length == 1 && FieldSyntax.isToken(member)
                                    ? RefusalReason.UNKNOWN_TRANSFER_CODING
                                    : RefusalReason.BAD_TRANSFER_ENCODING,
                            value);
                }
            }
            return members.length > 1 ? refuse(RefusalReason.UNKNOWN_TRANSFER_CODING, value) : null;
        }

        private static boolean isLength(String value) {
            return !value.isEmpty()
                    && value.length() <= LENGTH_DIGITS
                    && value.chars().allMatch(Grammar::isDigit);
        }

        long bodyBytes() {
            if (coding != null) {
                return Sound.CHUNKED;
            }
            if (version == Version.HTTP_2 && isEnded) {
                return 0;
            }
            if (contentLength != null) {
                return Long.parseLong(contentLength);
            }
            // Frames end the body of HTTP/2 as chunks do.
            return version == Version.HTTP_2 ? Sound.CHUNKED : 0;
        }

        /** HTTP/1.1 and later without close, or HTTP/1.0 with keep-alive (RFC 9112 §9.3). */
        boolean keepAlive() {
            return !close && (version != Version.HTTP_1_0 || keepAlive);
        }

        /** RFC 9110 §10.1.1: ignored in HTTP/1.0 and without a body. */
        boolean expectsContinue() {
            return continues && version != Version.HTTP_1_0 && bodyBytes() != 0;
        }

        /**
         * The fields to use: without names that contain an underscore, which some origins treat as
         * a hyphen, and with {@code authority} as Host.
         */
        Fields usable(Fields received, String authority) {
            if (!underscores && authority.equals(host)) {
                return received;
            }
            var lines = new ArrayList<String>();
            if (host == null) {
                lines.addAll(List.of("Host", authority));
            }
            received.forEach((name, value) -> {
                if (name.indexOf('_') < 0) {
                    lines.add(name);
                    lines.add(name.equalsIgnoreCase("Host") ? authority : value);
                }
            });
            return Fields.of(lines.toArray(String[]::new));
        }
    }
}
