package dev.quire.core.policy;

/** Why a response is not stored. */
public enum StorageRefusal {
    /** The request was not a GET. */
    METHOD("method"),
    /**
     * A partial response, a 304, or a status that must not be stored without an explicit lifetime.
     */
    STATUS("status"),
    /** The origin sent {@code no-store}. */
    NO_STORE("no-store"),
    /** The origin sent {@code private}. */
    PRIVATE("private"),
    SET_COOKIE("set-cookie"),
    /** It varies on more than request fields: {@code Vary: *}. */
    VARY_ANY("vary-any"),
    /** It varies on Cookie, and the request had one: it is for one client. */
    VARY_COOKIE("vary-cookie"),
    /** It varies on more fields than are worth comparing. */
    VARY_TOO_MANY("vary-too-many"),
    /** The request had Authorization, and the origin does not allow storing the response. */
    AUTHORIZATION("authorization"),
    /** Neither fresh on arrival nor with a validator: it could never be reused. */
    NO_LIFETIME("no-lifetime"),
    /** The request was forwarded as its client made it, so the response is for that client only. */
    FORWARDED("forwarded"),
    /** It is above the size limit. */
    SIZE("size"),
    /** The limit for bodies in transit is reached. */
    TRANSIT("transit"),
    /** Its content coding could not be decoded. */
    CODING("coding");

    private final String label;

    StorageRefusal(String label) {
        this.label = label;
    }

    /** Returns the label in logs and metrics. */
    public String label() {
        return label;
    }
}
