package dev.quire.proxy.route;

/** Which 103 (Early Hints) responses clients get (RFC 8297). */
public enum HintMode {
    /** Those of the origin. */
    PASS,
    /** Those of the origin, or the links of an earlier response while one is awaited. */
    REMEMBER,
    /** None. */
    OFF
}
