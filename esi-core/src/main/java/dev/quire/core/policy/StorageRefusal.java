package dev.quire.core.policy;

/** Why a response is not stored. */
public enum StorageRefusal {
    /** A rule of the operator forbids it. */
    RULE("rule", "a rule says store: false"),
    /** The request was not a GET. */
    METHOD("method", "the request was not a GET"),
    /**
     * A partial response, a 304, or a status that must not be stored without an explicit lifetime.
     */
    STATUS("status", "its status is not cacheable by default"),
    /** The origin sent {@code no-store}. */
    NO_STORE("no-store", "it says no-store"),
    /** The origin sent {@code private}. */
    PRIVATE("private", "it says private"),
    SET_COOKIE("set-cookie", "it sets a cookie"),
    /** It varies on more than request fields: {@code Vary: *}. */
    VARY_ANY("vary-any", "it has Vary: *"),
    /** It varies on Cookie, and the request had one: it is for one client. */
    VARY_COOKIE("vary-cookie", "it has Vary: Cookie, and the request has a cookie"),
    /** It varies on more fields than are worth comparing. */
    VARY_TOO_MANY("vary-too-many", "it varies on too many fields"),
    /** It has more tags than a stored response may have, so it could not be purged by all. */
    TAGS("tags", "it has more than 128 tags"),
    /** An error, and the head of its request was unusually long and may have caused it. */
    LARGE_REQUEST("large-request", "it is an error, and the head of its request is over 4 KiB"),
    /** The request had Authorization, and the origin does not allow storing the response. */
    AUTHORIZATION(
            "authorization", "the request has Authorization, and the response does not say public"),
    /**
     * An include or a rule set a field to a value of the client, and neither Vary nor the key has
     * it.
     */
    EDITED_FIELD(
            "edited-field",
            "an include or a rule sets a field by a value of the client, and Vary does not name"
                    + " the field"),
    /** Neither fresh on arrival nor with a validator: it could never be reused. */
    NO_LIFETIME("no-lifetime", "it has no lifetime and no validator"),
    /** The request was forwarded as its client made it, so the response is for that client only. */
    FORWARDED("forwarded", "its request was forwarded unchanged"),
    /** It is a stream of events, which need not end. */
    EVENT_STREAM("event-stream", "it is a stream of events"),
    /** It is above the size limit. */
    SIZE("size", "it is larger than the cache stores"),
    /** It is too large for how often it is requested, and the cache is full. */
    ADMISSION("admission", "the cache is full, and it is large for how often it is requested"),
    /** A client has asked for a part of it, and its length is not known. */
    UNKNOWN_LENGTH("unknown-length", "a part of it was requested, and its length is not known"),
    /** The limit for bodies in transit is reached. */
    TRANSIT("transit", "the limit for bodies in transit is reached"),
    /** Its content coding could not be decoded. */
    CODING("coding", "its content coding could not be undone");

    private final String label;
    private final String description;

    StorageRefusal(String label, String description) {
        this.label = label;
        this.description = description;
    }

    /**
     * Whether the request is the reason: the response to another one for the same URL may be
     * stored.
     */
    public boolean isOfRequest() {
        return switch (this) {
            case METHOD, VARY_COOKIE, LARGE_REQUEST, AUTHORIZATION, EDITED_FIELD, FORWARDED -> true;
            default -> false;
        };
    }

    /** Returns the label in logs and metrics. */
    public String label() {
        return label;
    }

    /** Returns a clause for messages, with the response as "it". */
    public String description() {
        return description;
    }
}
