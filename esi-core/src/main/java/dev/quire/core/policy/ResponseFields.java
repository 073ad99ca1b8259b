package dev.quire.core.policy;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import java.util.List;

/**
 * Which fields of a stored response are sent to clients, which survive a change of its body, and
 * which fields and statuses a page may set. Names are compared regardless of case.
 */
public final class ResponseFields {
    /** The size limit for fields added by a page, names and values together. */
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

    /** The same for an assembled page, whose other fields are generated for each response. */
    public static final List<String> OF_NOT_MODIFIED_PAGE = List.of("Content-Location", "Vary");

    /** Generated for each response, or not for clients. */
    private static final FieldNames OURS =
            FieldNames.of("age", "content-length", SignedVariant.FIELD);

    /** Lifetime, validators and digests of the document, which do not apply to the page. */
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

    /** Further fields that a page must not set. */
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
     * Whether a field of the origin is forwarded to clients: not hop-by-hop or surrogate fields,
     * nor those the proxy generates.
     */
    public static boolean goesToClients(String name) {
        return !OURS.contains(name) && !HopByHop.isHopByHop(name) && !HopByHop.isSurrogate(name);
    }

    /** Returns the fields of a 1xx response that are forwarded to clients. */
    public static Fields ofInterim(Fields received) {
        var nominated = HopByHop.nominated(received);
        return received.without(name -> !goesToClients(name) || nominated.contains(name));
    }

    /** Whether a field of an ESI document also applies to the page assembled from it. */
    public static boolean survivesAssembly(String name) {
        return !OF_DOCUMENT.contains(name);
    }

    /**
     * Whether the field applies only to the received bytes, not to the same body in another coding.
     */
    public static boolean isOfBytes(String name) {
        return OF_BYTES.contains(name);
    }

    /** Whether the field applies only to the whole body, not to a part (RFC 9110 §15.3.7). */
    public static boolean isOfWhole(String name) {
        return OF_WHOLE.contains(name);
    }

    /** Whether the field occurs only once, so that setting it replaces an existing one. */
    public static boolean isSingle(String name) {
        return SINGLE.contains(name);
    }

    /**
     * Whether a page may set the field of its own response. Fields for framing, validators,
     * lifetimes and proxies are excluded. {@code Cache-Control} is allowed, but only restricts what
     * its parts allow.
     */
    public static boolean mayBeSet(String name) {
        return goesToClients(name)
                && (survivesAssembly(name) || name.equalsIgnoreCase("cache-control"))
                && !NOT_OF_AUTHORS.contains(name)
                && !HopByHop.startsWith(name, "x-esi-");
    }

    /**
     * Whether a page may set {@code status}: a final one, except those for conditions or ranges,
     * and 205 (RFC 9110 §15).
     */
    public static boolean isStatusOfPage(int status) {
        return switch (status) {
            case 205, 206, 304, 416 -> false;
            default -> status >= 200 && status <= 599;
        };
    }
}
