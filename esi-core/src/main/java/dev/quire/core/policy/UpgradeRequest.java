package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's request to switch the protocol of its connection (RFC 9110 §7.8). Only the opening
 * handshake of a WebSocket may be forwarded: behind any other protocol the origin could get
 * requests that no rule has seen.
 */
public sealed interface UpgradeRequest {

    /** The protocols that clients ask for. */
    enum Protocol {
        WEBSOCKET("websocket"),
        H2C("h2c"),
        HTTP_2("HTTP/2.0"),
        TLS("TLS"),
        OTHER("another protocol");

        private final String token;

        Protocol(String token) {
            this.token = token;
        }

        /** Returns its name in {@code Upgrade}, without the version of TLS. */
        public String token() {
            return token;
        }

        private static Protocol of(List<String> members) {
            for (var protocol : values()) {
                if (protocol.isOneOf(members)) {
                    return protocol;
                }
            }
            return OTHER;
        }

        private boolean isOneOf(List<String> members) {
            return members.stream()
                    .anyMatch(member ->
                            member.equalsIgnoreCase(token)
                                    || (this == TLS && HopByHop.startsWith(member, "TLS/")));
        }
    }

    /** The protocol that the client asks for; WebSocket if it is one of several. */
    Protocol protocol();

    /**
     * A valid opening handshake (RFC 6455 §4.2.1).
     *
     * @param key the client's {@code Sec-WebSocket-Key}
     */
    record WebSocket(String key) implements UpgradeRequest {
        private static final int KEY_BYTES = 16;
        private static final SecureRandom RANDOM = new SecureRandom();
        private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

        /** The hop-by-hop fields of the handshake and of the response that accepts it. */
        private static final Fields FIELDS =
                Fields.of("Connection", "Upgrade", "Upgrade", Protocol.WEBSOCKET.token());

        @Override
        public Protocol protocol() {
            return Protocol.WEBSOCKET;
        }

        /**
         * The hop-by-hop fields to send with the handshake, and with a response that accepts it.
         */
        public Fields fields() {
            return FIELDS;
        }

        /** Whether {@code response} switches to the WebSocket asked for (RFC 6455 §4.1). */
        public boolean isAcceptedBy(ResponseHead response) {
            var fields = response.fields();
            var protocols = FieldList.members(fields.all("Upgrade"));
            return response.status() == 101
                    && HopByHop.nominated(fields).contains("Upgrade")
                    && protocols.size() == 1
                    && protocols.get(0).equalsIgnoreCase(Protocol.WEBSOCKET.token())
                    && fields.all("Sec-WebSocket-Accept").equals(List.of(accept()));
        }

        /** The {@code Sec-WebSocket-Accept} for the key (RFC 6455 §4.2.2). */
        private String accept() {
            try {
                var hash =
                        MessageDigest.getInstance("SHA-1")
                                .digest((key + GUID).getBytes(StandardCharsets.US_ASCII));
                return Base64.getEncoder().encodeToString(hash);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-1", e);
            }
        }

        /** Returns a random key, for a client that has none. */
        public static String newKey() {
            var key = new byte[KEY_BYTES];
            RANDOM.nextBytes(key);
            return Base64.getEncoder().encodeToString(key);
        }

        private static boolean isKey(List<String> lines) {
            if (lines.size() != 1) {
                return false;
            }
            try {
                return Base64.getDecoder().decode(lines.get(0)).length == KEY_BYTES;
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
    }

    /**
     * A request that is never forwarded: the origin gets it without {@code Upgrade}.
     *
     * @param reason for the log
     */
    record Removed(Protocol protocol, String reason) implements UpgradeRequest {}

    /**
     * Returns what {@code request} asks for; null if it has no {@code Upgrade}.
     *
     * @param isHttp10 whether it is of HTTP/1.0, which has no upgrades
     */
    static @Nullable UpgradeRequest of(RequestHead request, boolean isHttp10, boolean hasBody) {
        var members = FieldList.members(request.fields().all("Upgrade"));
        if (members.isEmpty()) {
            return null;
        }
        var protocol = Protocol.of(members);
        if (protocol != Protocol.WEBSOCKET) {
            return new Removed(protocol, "only websocket is forwarded");
        }
        var fault = fault(request, isHttp10, hasBody);
        return fault == null
                ? new WebSocket(request.fields().all("Sec-WebSocket-Key").get(0))
                : new Removed(Protocol.WEBSOCKET, fault);
    }

    /**
     * Returns the handshake of an extended CONNECT (RFC 8441 §5), or null if it is not valid.
     *
     * @param request a GET with a key of {@link WebSocket#newKey}
     */
    static @Nullable WebSocket extended(RequestHead request) {
        var keys = request.fields().all("Sec-WebSocket-Key");
        boolean isValid =
                request.fields().all("Sec-WebSocket-Version").equals(List.of("13"))
                        && WebSocket.isKey(keys);
        return isValid ? new WebSocket(keys.get(0)) : null;
    }

    /** Returns why {@code request} is not a valid opening handshake, or null if it is one. */
    private static @Nullable String fault(RequestHead request, boolean isHttp10, boolean hasBody) {
        var fields = request.fields();
        var options = HopByHop.nominated(fields);
        if (!request.isGet() || hasBody || isHttp10) {
            return "the request is not a GET of HTTP/1.1 without a body";
        }
        if (!options.contains("Upgrade") || options.contains("close")) {
            return "Connection does not name Upgrade, or names close";
        }
        if (options.stream().anyMatch(name -> HopByHop.startsWith(name, "sec-websocket-"))) {
            return "Connection names a field of the handshake";
        }
        if (!fields.all("Sec-WebSocket-Version").equals(List.of("13"))) {
            return "Sec-WebSocket-Version is not 13";
        }
        return WebSocket.isKey(fields.all("Sec-WebSocket-Key"))
                ? null
                : "Sec-WebSocket-Key is not 16 bytes in base64";
    }
}
