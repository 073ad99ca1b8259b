package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import java.util.ArrayList;
import java.util.List;

/** Which 103 (Early Hints) responses clients get, and which links are remembered (RFC 8297). */
public final class EarlyHints {
    /** The status of such a response. */
    public static final int STATUS = 103;

    /** The maximum number of remembered links of a response. */
    public static final int MAX_LINKS = 16;

    /** The maximum number of characters of these links. */
    public static final int MAX_CHARACTERS = 4 * 1024;

    /** The fields that browsers use; the policies restrict what the links may load. */
    private static final FieldNames FIELDS =
            FieldNames.of(
                    "content-security-policy",
                    "cross-origin-embedder-policy",
                    "link",
                    "referrer-policy");

    /** The relations that browsers act upon before the final response. */
    private static final FieldNames RELATIONS =
            FieldNames.of("modulepreload", "preconnect", "preload");

    private EarlyHints() {}

    /** Whether a browser uses hints in the response: that of a navigation over HTTP/2. */
    public static boolean areUsed(Fields request, String protocol) {
        return protocol.equals("HTTP/2")
                && "navigate".equalsIgnoreCase(request.first("Sec-Fetch-Mode"));
    }

    /** Returns the fields of a received 103 that are passed on; without a link, there are none. */
    public static Fields passed(Fields received) {
        if (!received.contains("Link")) {
            return Fields.EMPTY;
        }
        var nominated = HopByHop.nominated(received);
        return received.without(name -> !FIELDS.contains(name) || nominated.contains(name));
    }

    /** Returns the head of a 103 with {@code fields}. */
    public static ResponseHead head(Fields fields) {
        return new ResponseHead(STATUS, "Early Hints", fields);
    }

    /** Returns a 103 with one {@code Link} line for each of {@code links}. */
    public static ResponseHead head(List<String> links) {
        var lines = new Fields.Builder();
        links.forEach(link -> lines.add("Link", link));
        return head(lines.build());
    }

    /**
     * Returns the links to remember of a stored {@code response}: none if it is not a 200, or may
     * depend on one client by its {@code Set-Cookie} or the request's {@code Authorization}.
     */
    public static List<String> remembered(RequestHead request, ResponseHead response) {
        return response.status() != 200
                        || response.fields().contains("Set-Cookie")
                        || request.fields().contains("Authorization")
                ? List.of()
                : links(response.fields());
    }

    /**
     * Returns the links of {@code response} that browsers load early, as received; at most {@value
     * #MAX_LINKS} with {@value #MAX_CHARACTERS} characters.
     */
    public static List<String> links(Fields response) {
        if (!response.contains("Link")) {
            return List.of();
        }
        var links = new ArrayList<String>();
        int left = MAX_CHARACTERS;
        for (var line : response.all("Link")) {
            for (var link : split(line)) {
                left -= isEarly(link) ? link.length() : 0;
                if (left < 0 || links.size() == MAX_LINKS) {
                    return List.copyOf(links);
                }
                if (isEarly(link)) {
                    links.add(link);
                }
            }
        }
        return List.copyOf(links);
    }

    /** Splits a {@code Link} line; a comma inside {@code <>} does not count (RFC 8288 §3). */
    private static List<String> split(String line) {
        var links = new ArrayList<String>();
        int start = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '<') {
                i = closing(i, line.indexOf('>', i));
            } else if (c == '"') {
                i = closing(i, FieldList.closingQuote(line, i));
            } else if (c == ',') {
                links.add(line.substring(start, i).strip());
                start = i + 1;
            }
        }
        links.add(line.substring(start).strip());
        return links;
    }

    private static int closing(int open, int close) {
        return Math.max(open, close);
    }

    private static boolean isEarly(String link) {
        int end = link.indexOf('>');
        if (!link.startsWith("<") || end < 0) {
            return false;
        }
        for (var parameter : FieldList.split(link.substring(end + 1), ';')) {
            int equals = parameter.indexOf('=');
            if (equals > 0 && parameter.substring(0, equals).strip().equalsIgnoreCase("rel")) {
                // Later rel parameters do not count (RFC 8288 §3.3).
                return hasEarlyRelation(parameter.substring(equals + 1));
            }
        }
        return false;
    }

    private static boolean hasEarlyRelation(String value) {
        return FieldList.split(value.replace('"', ' ').strip(), ' ').stream()
                .anyMatch(RELATIONS::contains);
    }
}
