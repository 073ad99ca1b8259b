package dev.quire.core.policy;

/** Why a response is not kept. */
public enum RefusalReason {
    /** The request was no GET. */
    METHOD("method"),
    /** A part, an answer to a condition, or a status code we may not keep without being told to. */
    STATUS("status"),
    /** The origin says {@code no-store}. */
    NO_STORE("no-store"),
    /** The origin says {@code private}. */
    PRIVATE("private"),
    /** It sets a cookie. */
    SET_COOKIE("set-cookie"),
    /** It varies on things no request shows: {@code Vary: *}. */
    VARY_ANY("vary-any"),
    /** It varies on Cookie, and the request had one: it is for one reader. */
    VARY_COOKIE("vary-cookie"),
    /** It varies on more fields than are worth comparing. */
    VARY_TOO_MANY("vary-too-many"),
    /** The request carried Authorization, and the origin does not say that others may see it. */
    AUTHORIZATION("authorization"),
    /** Neither fresh on arrival nor with a validator: it could never be reused. */
    NO_LIFETIME("no-lifetime"),
    /** The request went up as its client made it, so the response serves no other. */
    FORWARDED("forwarded"),
    /** It is larger than what is stored. */
    SIZE("size"),
    /** Bodies in transit hold all they may. */
    TRANSIT("transit"),
    /** Its content coding could not be undone. */
    CODING("coding");

    private final String label;

    RefusalReason(String label) {
        this.label = label;
    }

    /** As logs and metrics print it. */
    public String label() {
        return label;
    }
}
