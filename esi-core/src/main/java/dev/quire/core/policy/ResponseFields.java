package dev.quire.core.policy;

import dev.quire.core.http.FieldNames;
import java.util.List;

/**
 * Which fields of a stored response reach its clients, which of them survive when its body is
 * changed, and which fields and statuses a page may give itself. All names are compared without
 * regard to case.
 */
public final class ResponseFields {
    /** What the fields that a page adds may come to, names and values together. */
    public static final int MAX_ADDED_BYTES = 16 * 1024;

    /** The fields of a response that its 304 repeats (RFC 9110 §15.4.5). */
    public static final List<String> OF_NOT_MODIFIED =
            List.of(
                    "Cache-Control",
                    "CDN-Cache-Control",
                    "Content-Location",
                    "Date",
                    "ETag",
                    "Expires",
                    "Last-Modified",
                    "Vary");

    /** The same of an assembled page, whose other fields are made for each answer. */
    public static final List<String> OF_NOT_MODIFIED_PAGE = List.of("Content-Location", "Vary");

    /** Written anew for each answer, or not for clients. */
    private static final FieldNames OURS =
            FieldNames.of("age", "content-length", SignedVariant.FIELD);

    /** Lifetime, validators and digests of the document; they say nothing of the page. */
    private static final FieldNames OF_DOCUMENT =
            FieldNames.of(
                    "accept-ranges",
                    "cache-control",
                    "content-digest",
                    "content-md5",
                    "digest",
                    "etag",
                    "expires",
                    "last-modified",
                    "pragma",
                    "repr-digest");

    private static final FieldNames OF_BYTES =
            FieldNames.of(
                    "accept-ranges",
                    "content-digest",
                    "content-encoding",
                    "content-md5",
                    "digest",
                    "repr-digest");

    private static final FieldNames OF_WHOLE =
            FieldNames.of("content-digest", "content-md5", "content-range");

    /** Not for a page to set, besides those of its document. */
    private static final FieldNames NOT_OF_AUTHORS =
            FieldNames.of("cdn-cache-control", "content-encoding", "content-range", "date", "via");

    private static final FieldNames SINGLE =
            FieldNames.of(
                    "content-disposition",
                    "content-location",
                    "content-type",
                    "location",
                    "refresh",
                    "retry-after");

    private ResponseFields() {}

    /**
     * Whether a field of the origin is passed on to clients: not those of one connection, of
     * surrogates, or that we write ourselves.
     */
    public static boolean goesToClients(String name) {
        return !OURS.contains(name) && !HopByHop.isHopByHop(name) && !HopByHop.isSurrogate(name);
    }

    /** Whether a field of an ESI document is true of the page that is assembled from it. */
    public static boolean survivesAssembly(String name) {
        return !OF_DOCUMENT.contains(name);
    }

    /**
     * Whether the field is true of the received bytes only, not of the same body coded otherwise.
     */
    public static boolean isOfBytes(String name) {
        return OF_BYTES.contains(name);
    }

    /** Whether the field is true of the whole body only, not of a part (RFC 9110 §15.3.7). */
    public static boolean isOfWhole(String name) {
        return OF_WHOLE.contains(name);
    }

    /** Whether a response has the field once, so that one that is set replaces the one there. */
    public static boolean isSingle(String name) {
        return SINGLE.contains(name);
    }

    /**
     * Whether a page may set the field of its own response: not one that frames the message, or
     * that speaks of validators, lifetimes, or what lies between us and others. It may say its
     * {@code Cache-Control}, which only counts as far as its parts allow.
     */
    public static boolean mayBeSet(String name) {
        return goesToClients(name)
                && (survivesAssembly(name) || name.equalsIgnoreCase("cache-control"))
                && !NOT_OF_AUTHORS.contains(name)
                && !HopByHop.startsWith(name, "x-esi-");
    }

    /**
     * Whether a page may give itself {@code status}: a final one that is not the answer to a
     * condition or a range, nor a demand to reset a form (RFC 9110 §15).
     */
    public static boolean isStatusOfPage(int status) {
        return switch (status) {
            case 205, 206, 304, 416 -> false;
            default -> status >= 200 && status <= 599;
        };
    }
}
