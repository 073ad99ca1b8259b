package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import java.util.Locale;
import java.util.Set;

/** The bodies that are compressed for clients that accept it. */
public enum Compression {
    /** Assembled pages. */
    ESI,
    /** Assembled pages, and other bodies of compressible media types. */
    ALL,
    OFF;

    /** Shorter bodies gain nothing: header and trailer of gzip alone are 18 bytes. */
    private static final int MIN_BYTES = 512;

    private static final Set<String> TYPES =
            Set.of(
                    "application/ecmascript",
                    "application/graphql",
                    "application/javascript",
                    "application/json",
                    "application/rtf",
                    "application/vnd.ms-fontobject",
                    "application/wasm",
                    "application/x-javascript",
                    "application/x-ndjson",
                    "application/xml",
                    "font/otf",
                    "font/ttf",
                    "image/bmp",
                    "image/vnd.microsoft.icon",
                    "image/x-icon");

    /**
     * Whether the body of {@code head} may be compressed; if so, every response to its request
     * varies on Accept-Encoding, even uncompressed. False for a body that is already coded or
     * partial, or whose author forbids transformation (RFC 9111 §5.2.2.6).
     *
     * @param isPage whether it is an assembled page
     * @param lengthBytes of the body, or -1 if unknown
     */
    public boolean mayCompress(ResponseHead head, boolean isPage, long lengthBytes) {
        return switch (this) {
            case OFF -> false;
            case ESI -> isPage && isOpen(head);
            case ALL ->
                    isOpen(head)
                            && (isPage
                                    || (isCompressible(head.fields())
                                            && (lengthBytes < 0 || lengthBytes >= MIN_BYTES)));
        };
    }

    /**
     * Whether the decoded body of {@code head}, which the origin has coded, may be compressed for a
     * client that does not accept that coding. Its media type does not matter: the origin found it
     * worth coding.
     */
    public boolean mayReplaceCoding(ResponseHead head, long lengthBytes) {
        return this == ALL && lengthBytes >= MIN_BYTES && isTransformable(head);
    }

    private static boolean isOpen(ResponseHead head) {
        return isTransformable(head) && !isCoded(head.fields());
    }

    /** Whether it is whole, and its author does not forbid to change its coding. */
    private static boolean isTransformable(ResponseHead head) {
        boolean isWhole =
                switch (head.status()) {
                    case 204, 205, 206, 304 -> false;
                    default -> true;
                };
        return isWhole && !head.fields().contains("Content-Range") && !forbids(head.fields());
    }

    private static boolean isCoded(Fields fields) {
        return FieldList.members(fields.all("Content-Encoding")).stream()
                .anyMatch(coding -> !coding.equalsIgnoreCase("identity"));
    }

    /** Whether the author forbids to change the coding of the body (RFC 9111 §5.2.2.6). */
    public static boolean forbids(Fields fields) {
        return FieldList.members(fields.all("Cache-Control")).stream()
                .anyMatch("no-transform"::equalsIgnoreCase);
    }

    /** Whether it is text other than an event stream, or of a type known to be compressible. */
    private static boolean isCompressible(Fields fields) {
        var value = fields.first("Content-Type");
        if (value == null) {
            return false;
        }
        int parameters = value.indexOf(';');
        var type =
                (parameters < 0 ? value : value.substring(0, parameters))
                        .strip()
                        .toLowerCase(Locale.ROOT);
        return (type.startsWith("text/") && !type.equals("text/event-stream"))
                || type.endsWith("+json")
                || type.endsWith("+xml")
                || type.endsWith("+text")
                || TYPES.contains(type);
    }
}
