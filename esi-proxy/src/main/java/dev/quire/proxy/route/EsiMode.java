package dev.quire.proxy.route;

/** When a response of a route is an ESI document. */
public enum EsiMode {
    /** When its {@code Surrogate-Control} says so. */
    AUTO,
    /** As AUTO, but that nothing runs unless it is stamped. */
    STAMPED,
    /** Whenever its media type allows it. */
    ON,
    /** Never. */
    OFF
}
