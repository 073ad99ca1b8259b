package dev.quire.core.rule;

import java.util.Locale;

/** The kinds of values that conditions and templates of rules read. */
public enum Input {
    SCHEME,
    HOST,
    PATH,
    QUERY,
    METHOD,
    PROTOCOL,
    HEADER,
    COOKIE,
    CLIENT,
    LEVEL,
    NOW,
    VARIABLE,
    STATUS,
    TYPE,
    RESPONSE,
    LENGTH,
    OUTCOME,
    AGE;

    /** Whether all requests for one URL have the same value. */
    public boolean isOfUrl() {
        return switch (this) {
            case SCHEME, HOST, PATH, QUERY -> true;
            default -> false;
        };
    }

    /** Whether it is a value of the request or its client that the URL does not determine. */
    public boolean isOfRequest() {
        return switch (this) {
            case METHOD, PROTOCOL, HEADER, COOKIE, CLIENT, LEVEL, NOW -> true;
            default -> false;
        };
    }

    /** Whether it exists only once a response has arrived. */
    public boolean isOfResponse() {
        return switch (this) {
            case STATUS, TYPE, RESPONSE, LENGTH -> true;
            default -> false;
        };
    }

    /** Whether it exists only in the response to a client. */
    public boolean isOfDelivery() {
        return this == OUTCOME || this == AGE;
    }

    /** The name in messages, such as {@code header}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
