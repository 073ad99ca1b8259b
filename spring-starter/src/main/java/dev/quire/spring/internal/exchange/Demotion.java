package dev.quire.spring.internal.exchange;

import java.util.Locale;

/**
 * Why a response is made more private than its policy: private, or not stored by surrogates if its
 * tags are too long. If several reasons apply, the first listed counts; the last one restricts
 * least.
 */
public enum Demotion {
    HANDLER_FAILED("the handler threw an exception", false),
    ERROR_STATUS("its status is an error", false),
    HANDLER_SAID_PRIVATE("the handler set Cache-Control to private or no-store", false),
    CSRF_TOKEN("a CSRF token was rendered", true),
    SESSION_CREATED("a session was created", true),
    SET_COOKIE("the response sets a cookie", true),
    SESSION_ID_IN_URL("a URL with a session id was written", true),
    PRINCIPAL_READ("the handler or view read the user's identity", true),
    SESSION_READ("the handler or view read the session", true),
    COOKIE_READ("the handler or view read the cookies", true),
    HEADER_READ("the handler or view read a request field that identifies the user", true),
    LANGUAGE_READ(
            "the handler or view asked for the reader's language, and it has no Vary for it", true),
    FLASH_RECEIVED("the request has flash attributes", false),
    TAG_UNUSABLE("a tag template gave no valid tag for the arguments", true),
    VARIANT_NOT_NORMALISED("no trusted surrogate named the variant of this request", false),
    VARIANT_DIFFERS("the surrogate in front named a different variant", false),
    TAGS_TOO_LONG("its tags exceed quire.headers.tag-limit", false),
    /** Never decides a head: it breaks off the response. */
    READ_LATE("data of one user was read after its head had been sent", true);

    private final String because;
    private final boolean programmingError;

    Demotion(String because, boolean programmingError) {
        this.because = because;
        this.programmingError = programmingError;
    }

    /** Returns the reason in words, to follow "because". */
    public String because() {
        return because;
    }

    /** Whether the handler as written can never be public; strict mode then fails the response. */
    public boolean isProgrammingError() {
        return programmingError;
    }

    /** Returns the reason as written in a header. */
    public String token() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
