package dev.quire.core.policy;

import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the response to one request, decided from its head: whether it is stored (RFC
 * 9111 §3), and if it is not, how its body reaches the one client that asked.
 *
 * @param request the one that was sent
 * @param settings of the route
 * @param author what the page that asks says of the lifetime
 * @param servesOthers false if the request went up as its client made it
 * @param passesSource whether the client is given documents as they came, tags and all
 * @param maxObjectBytes a longer body is not stored
 * @param maxDocumentBytes a longer document is a failure
 */
public record Admission(
        RequestHead request,
        Settings settings,
        AuthorLifetime author,
        boolean servesOthers,
        boolean passesSource,
        long maxObjectBytes,
        long maxDocumentBytes) {

    /** The length of a body whose head does not tell it. */
    public static final long UNKNOWN = -1;

    /** What becomes of a response. */
    public sealed interface Treatment {
        /**
         * It is kept and stored.
         *
         * @param freshness how long it may be used
         * @param isDocument whether its body is parsed
         */
        record Store(Freshness freshness, boolean isDocument) implements Treatment {}

        /**
         * It is for one exchange and not stored, but kept whole: to be parsed or decoded.
         *
         * @param isDocument whether its body is parsed
         */
        record Compile(RefusalReason reason, boolean isDocument) implements Treatment {}

        /** It is for one exchange, which gets it as it comes. */
        record Flow(RefusalReason reason) implements Treatment {}

        /** It is an ESI document longer than any may be. */
        record TooLarge(long maxBytes) implements Treatment {}
    }

    /**
     * What a body is, and where it goes.
     *
     * @param isDocument whether it is an ESI document
     * @param isStamped whether the tags of that document have the stamp of the request
     * @param isForPage whether it goes into a page, which cannot contain coded content
     */
    public record Body(boolean isDocument, boolean isStamped, boolean isForPage) {}

    /** What becomes of {@code response}, whose body is yet to come. */
    public Treatment of(ResponseHead response, Moments moments, Body body) {
        // The answer to HEAD has no body to parse.
        boolean isDocument = body.isDocument() && !request.isHead();
        long announced = announcedBytes(response.fields());
        if (isDocument && announced > maxDocumentBytes) {
            return new Treatment.TooLarge(maxDocumentBytes);
        }
        var coding = ContentCoding.of(response.fields());
        return switch (CachePolicy.storing(request, response, moments, settings, author)) {
            case Storing.Refuse refuse -> forOne(refuse.reason(), isDocument, body, coding);
            case Storing.Keep ignored
                    when !servesOthers && !answersLaterGets(isDocument, body, coding) ->
                    forOne(RefusalReason.FORWARDED, isDocument, body, coding);
            case Storing.Keep ignored when !isDocument && announced > maxObjectBytes ->
                    new Treatment.Flow(RefusalReason.SIZE);
            case Storing.Keep keep -> new Treatment.Store(keep.freshness(), isDocument);
        };
    }

    /**
     * Whether a response to a POST that went up as it was may all the same answer later requests
     * (RFC 9110 §9.3.3).
     */
    private boolean answersLaterGets(boolean isDocument, Body body, ContentCoding coding) {
        // The client's codings went along. And a client that takes the response whole gets it too
        // late: it must be stored after what the POST has invalidated is gone.
        return request.method().equals("POST")
                && !isDocument
                && !body.isForPage()
                && !coding.isCoded();
    }

    private Treatment forOne(
            RefusalReason reason, boolean isDocument, Body body, ContentCoding coding) {
        // A client that gets a stamped document as it came must not see the stamps.
        boolean isCompiled = isDocument && (!passesSource || body.isStamped());
        boolean isDecoded = body.isForPage() && coding.isUndoable();
        return isCompiled || isDecoded
                ? new Treatment.Compile(reason, isCompiled)
                : new Treatment.Flow(reason);
    }

    /**
     * How long a stored response may be used on under {@code merged}, its head as a 304 or the
     * answer to HEAD has renewed it (RFC 9111 §4.3.4, §4.3.5). Null if it may not be kept, or if
     * what was made of its body no longer fits its head.
     *
     * @param wasDocument whether the stored body was parsed
     * @param isDocument whether it would be parsed under {@code merged}
     */
    public @Nullable Freshness renewal(
            Fields stored,
            ResponseHead merged,
            Moments moments,
            boolean wasDocument,
            boolean isDocument) {
        boolean isReadAlike =
                wasDocument == isDocument
                        && (!isDocument || isOfSameType(stored, merged.fields()))
                        && coding(stored).equals(coding(merged.fields()));
        return isReadAlike && storingOfGet(merged, moments) instanceof Storing.Keep keep
                ? keep.freshness()
                : null;
    }

    /** Whether only a cookie forbids to keep a response to GET with the head {@code received}. */
    public boolean isRefusedForCookieAlone(ResponseHead received, Moments moments) {
        return storingOfGet(received, moments) instanceof Storing.Refuse refuse
                && refuse.reason() == RefusalReason.SET_COOKIE;
    }

    /** HEAD asks about the response that a GET has brought. */
    private Storing storingOfGet(ResponseHead response, Moments moments) {
        var asked =
                request.isHead()
                        ? new RequestHead(
                                "GET",
                                request.scheme(),
                                request.authority(),
                                request.target(),
                                request.fields())
                        : request;
        return CachePolicy.storing(asked, response, moments, settings, author);
    }

    /** Whether both name the same media type, parameters and all. */
    public static boolean isOfSameType(Fields one, Fields other) {
        return one.all("content-type").equals(other.all("content-type"));
    }

    private static String coding(Fields response) {
        return String.join(",", response.all("content-encoding"));
    }

    /**
     * What {@code Content-Length} says, or {@link #UNKNOWN}; the length itself is checked
     * elsewhere.
     */
    public static long announcedBytes(Fields response) {
        var length = response.first("content-length");
        if (length == null) {
            return UNKNOWN;
        }
        try {
            return Math.max(Long.parseLong(length.strip()), UNKNOWN);
        } catch (NumberFormatException noNumber) {
            return UNKNOWN;
        }
    }
}
