package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import java.util.Locale;
import java.util.Set;

/** What is compressed for clients that accept it. */
public enum Compression {
    /** Assembled pages. */
    ESI,
    /** Those, and other stored bodies of media types that are worth it. */
    ALL,
    /** Nothing. */
    OFF;

    /** What is shorter gains nothing: head and trailer of gzip alone are 18 bytes. */
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
     * Whether we may compress what is behind {@code head}: then every answer to it depends on
     * Accept-Encoding, the plain one too. Never what is coded already, what its author forbids to
     * transform (RFC 9111 §5.2.2.6), or what is only a part.
     *
     * @param isPage whether pages are assembled of it
     * @param lengthBytes of the body, or -1 if it is not known
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

    private static boolean isOpen(ResponseHead head) {
        boolean isWhole =
                switch (head.status()) {
                    case 204, 205, 206, 304 -> false;
                    default -> true;
                };
        return isWhole
                && !head.fields().contains("Content-Range")
                && !isCoded(head.fields())
                && !forbidsTransforming(head.fields());
    }

    private static boolean isCoded(Fields fields) {
        return FieldList.members(fields.all("Content-Encoding")).stream()
                .anyMatch(coding -> !coding.equalsIgnoreCase("identity"));
    }

    private static boolean forbidsTransforming(Fields fields) {
        return FieldList.members(fields.all("Cache-Control")).stream()
                .anyMatch("no-transform"::equalsIgnoreCase);
    }

    /** Text, or known to be mostly redundant. */
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
        return type.startsWith("text/")
                || type.endsWith("+json")
                || type.endsWith("+xml")
                || type.endsWith("+text")
                || TYPES.contains(type);
    }
}
