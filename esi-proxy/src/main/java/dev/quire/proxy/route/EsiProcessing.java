package dev.quire.proxy.route;

/** When a response of a route is an ESI document. */
public enum EsiProcessing {
    /** If its {@code Surrogate-Control} requests it. */
    AUTO,
    /** Like AUTO, but only stamped tags are processed. */
    STAMPED,
    /** If its media type allows it. */
    ON,
    /** Never. */
    OFF
}
