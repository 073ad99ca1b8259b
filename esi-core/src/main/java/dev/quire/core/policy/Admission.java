package dev.quire.core.policy;

import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * Decides from its head what happens to the response to one request: whether it is stored (RFC 9111
 * §3), and if not, how its body reaches the client.
 *
 * @param sent the request, as sent to the origin
 * @param settings of the route
 * @param author the lifetime that the including page gives
 * @param servesOthers false if the request was forwarded as the client made it
 * @param passesSource whether the client gets documents unassembled, tags included
 * @param maxObjectBytes a longer body is not stored
 * @param maxDocumentBytes a longer document is a failure
 * @param received the fields as the origin sent them, which still forbid what they forbade; null if
 *     response rules have not changed them
 */
public record Admission(
        SentRequest sent,
        Settings settings,
        AuthorLifetime author,
        boolean servesOthers,
        boolean passesSource,
        long maxObjectBytes,
        long maxDocumentBytes,
        @Nullable Fields received) {

    /** The length of a body whose head does not give it. */
    public static final long UNKNOWN = -1;

    /** Creates the decisions on responses that rules do not change. */
    public Admission(
            SentRequest sent,
            Settings settings,
            AuthorLifetime author,
            boolean servesOthers,
            boolean passesSource,
            long maxObjectBytes,
            long maxDocumentBytes) {
        this(
                sent,
                settings,
                author,
                servesOthers,
                passesSource,
                maxObjectBytes,
                maxDocumentBytes,
                null);
    }

    /** Returns the same for a response that had the fields {@code received} before the rules. */
    public Admission afterRules(Fields received) {
        return new Admission(
                sent,
                settings,
                author,
                servesOthers,
                passesSource,
                maxObjectBytes,
                maxDocumentBytes,
                received);
    }

    /** The way a response is handled. */
    public sealed interface Decision {
        /**
         * It is buffered and stored.
         *
         * @param freshness how long it may be served
         * @param isDocument whether its body is parsed
         */
        record Store(Freshness freshness, boolean isDocument) implements Decision {}

        /**
         * It is for one exchange and not stored, but buffered: to be parsed or decoded.
         *
         * @param isDocument whether its body is parsed
         */
        record Compile(StorageRefusal reason, boolean isDocument) implements Decision {}

        /** It is for one exchange and passed on as it arrives. */
        record Flow(StorageRefusal reason) implements Decision {}

        /** It is an ESI document above the size limit. */
        record TooLarge(long maxBytes) implements Decision {}
    }

    /**
     * The kind and destination of a body.
     *
     * @param isDocument whether it is an ESI document
     * @param isStamped whether the tags of that document have the stamp of the request
     * @param isForPage whether it is included in a page, which cannot contain coded content
     */
    public record Body(boolean isDocument, boolean isStamped, boolean isForPage) {}

    /** Decides what is done with {@code response}, before its body arrives. */
    public Decision of(ResponseHead response, ResponseTimes times, Body body) {
        // The response to HEAD has no body to parse.
        boolean isDocument = body.isDocument() && !sent.received().isHead();
        long announced = announcedBytes(response.fields());
        if (isDocument && announced > maxDocumentBytes) {
            return new Decision.TooLarge(maxDocumentBytes);
        }
        var coding = ContentCoding.of(response.fields());
        return switch (storing(sent.head(), response, times)) {
            case StorageDecision.Refuse refuse -> forOne(refuse.reason(), isDocument, body, coding);
            case StorageDecision.Keep ignored
                    when !servesOthers && !answersLaterGets(isDocument, body, coding) ->
                    forOne(StorageRefusal.FORWARDED, isDocument, body, coding);
            case StorageDecision.Keep ignored when response.isEventStream() && !isDocument ->
                    new Decision.Flow(StorageRefusal.EVENT_STREAM);
            case StorageDecision.Keep ignored when !isDocument && announced > maxObjectBytes ->
                    new Decision.Flow(StorageRefusal.SIZE);
            case StorageDecision.Keep keep -> new Decision.Store(keep.freshness(), isDocument);
        };
    }

    /**
     * Whether the response to a POST, forwarded unchanged, may still be served to later requests
     * (RFC 9110 §9.3.3).
     */
    private boolean answersLaterGets(boolean isDocument, Body body, ContentCoding coding) {
        // The response may be coded for this client. And a client that waits for the complete
        // response gets it too late: it must be stored after the invalidation by the POST.
        return sent.received().method().equals("POST")
                && !isDocument
                && !body.isForPage()
                && !coding.isCoded();
    }

    private Decision forOne(
            StorageRefusal reason, boolean isDocument, Body body, ContentCoding coding) {
        // A client that gets a stamped document unassembled must not see the stamps.
        boolean isCompiled = isDocument && (!passesSource || body.isStamped());
        boolean isDecoded = body.isForPage() && coding.isUndoable();
        return isCompiled || isDecoded
                ? new Decision.Compile(reason, isCompiled)
                : new Decision.Flow(reason);
    }

    /**
     * Returns the freshness of a stored response after a 304 or the response to HEAD updated its
     * head to {@code merged} (RFC 9111 §4.3.4, §4.3.5). Returns null if the merged response must
     * not be stored, or its parsed body no longer matches its head.
     *
     * @param wasDocument whether the stored body was parsed
     * @param isDocument whether it would be parsed under {@code merged}
     */
    public @Nullable Freshness renewal(
            Fields stored,
            ResponseHead merged,
            ResponseTimes times,
            boolean wasDocument,
            boolean isDocument) {
        boolean isReadAlike =
                wasDocument == isDocument
                        && (!isDocument || isOfSameType(stored, merged.fields()))
                        && coding(stored).equals(coding(merged.fields()));
        return isReadAlike && storingOfGet(merged, times) instanceof StorageDecision.Keep keep
                ? keep.freshness()
                : null;
    }

    /** Whether only a cookie prevents storing a response to GET with the head {@code received}. */
    public boolean isRefusedForCookieAlone(ResponseHead received, ResponseTimes times) {
        return storingOfGet(received, times) instanceof StorageDecision.Refuse refuse
                && refuse.reason() == StorageRefusal.SET_COOKIE;
    }

    /** Returns the decision for a GET; a HEAD is treated as one. */
    private StorageDecision storingOfGet(ResponseHead response, ResponseTimes times) {
        var request = sent.head();
        var asked =
                request.isHead()
                        ? new RequestHead(
                                "GET",
                                request.scheme(),
                                request.authority(),
                                request.target(),
                                request.fields())
                        : request;
        return storing(asked, response, times);
    }

    private StorageDecision storing(
            RequestHead request, ResponseHead response, ResponseTimes times) {
        return sent.isSharedBy(response.fields())
                ? CachePolicy.storing(request, response, received, times, settings, author)
                : new StorageDecision.Refuse(StorageRefusal.EDITED_FIELD);
    }

    /** Whether both have the same media type, including parameters. */
    public static boolean isOfSameType(Fields one, Fields other) {
        return one.all("content-type").equals(other.all("content-type"));
    }

    private static String coding(Fields response) {
        return String.join(",", response.all("content-encoding"));
    }

    /**
     * Returns the value of {@code Content-Length}, or {@link #UNKNOWN}; the actual length is
     * checked elsewhere.
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
