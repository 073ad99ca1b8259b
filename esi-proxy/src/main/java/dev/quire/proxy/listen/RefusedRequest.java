package dev.quire.proxy.listen;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.exchange.RequestId;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The readable parts of a request that was refused, for its response and the log. Nothing in it is
 * valid: it is read from the bytes as far as they make sense.
 *
 * @param head unknown parts are empty; its fields are those that the response and the log line need
 * @param protocol as received; empty if unknown
 */
record RefusedRequest(RequestHead head, String protocol) {
    static final String HTTP_2 = "HTTP/2";

    /** Nothing is known. */
    static final RefusedRequest UNKNOWN =
            new RefusedRequest(new RequestHead("", Scheme.HTTP, "", "", Fields.EMPTY), "");

    private static final int MAX_BYTES = 8 * 1024;
    private static final int MAX_TEXT = 1024;

    /** Selects the form of the response; cut, it could select another one. */
    private static final String ACCEPT = "Accept";

    private static final List<String> LOGGED = List.of("Host", "User-Agent", "Referer");

    /** Claims of a trusted peer; if the head is incomplete, a later line could contradict them. */
    private static final List<String> CLAIMS = List.of("X-Forwarded-For", RequestId.FIELD);

    /** Reads the bytes of {@code in} from {@code start} to {@code end}, but not too many. */
    static RefusedRequest of(ByteBuf in, int start, int end) {
        int length = Math.min(end - start, MAX_BYTES);
        var lines =
                in.toString(start, length, StandardCharsets.ISO_8859_1)
                        .stripLeading()
                        .split("\r?\n", -1);
        var words = lines[0].split(" ", 2);
        var fields = new Fields.Builder();
        int ends = 1;
        while (ends < lines.length - 1 && !lines[ends].isEmpty()) {
            ends++;
        }
        boolean isWhole = ends < lines.length - 1;
        for (int i = 1; i < ends; i++) {
            add(lines[i], isWhole, fields);
        }
        var known = fields.build();
        var rest = words.length < 2 ? "" : words[1];
        int last = rest.lastIndexOf(' ');
        boolean hasProtocol = last >= 0 && rest.startsWith("HTTP/", last + 1);
        var host = known.first("Host");
        return new RefusedRequest(
                new RequestHead(
                        cut(words[0]),
                        Scheme.HTTP,
                        host == null ? "" : host,
                        cut(hasProtocol ? rest.substring(0, last) : rest),
                        known),
                hasProtocol ? cut(rest.substring(last + 1)) : "");
    }

    /** Reads the lines of a request of HTTP/2, whatever they are. */
    static RefusedRequest of(RequestLines lines, Scheme scheme) {
        var fields = new Fields.Builder();
        var method = "";
        var authority = "";
        var target = "";
        for (int i = 0; i < lines.size(); i++) {
            var name = lines.name(i);
            var value = lines.value(i);
            switch (name) {
                case ":method" -> method = cut(value);
                case ":path" -> target = cut(value);
                case ":authority" -> {
                    authority = cut(value);
                    fields.add("Host", authority);
                }
                default -> add(name, value, true, fields);
            }
        }
        return new RefusedRequest(
                new RequestHead(method, scheme, authority, target, fields.build()), HTTP_2);
    }

    private static void add(String line, boolean isWhole, Fields.Builder fields) {
        int colon = line.indexOf(':');
        if (colon < 0) {
            return;
        }
        add(line.substring(0, colon).strip(), line.substring(colon + 1).strip(), isWhole, fields);
    }

    private static void add(String name, String value, boolean isWhole, Fields.Builder fields) {
        if (LOGGED.stream().anyMatch(name::equalsIgnoreCase)) {
            fields.add(name, cut(value));
        } else if (name.equalsIgnoreCase(ACCEPT)
                || (isWhole && CLAIMS.stream().anyMatch(name::equalsIgnoreCase))) {
            fields.add(name, value);
        }
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    }
}
