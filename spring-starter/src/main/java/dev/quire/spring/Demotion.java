package dev.quire.spring;

import java.util.Locale;

/**
 * Why a response is made more private than its policy says: private altogether, or for tags that
 * are too long out of reach for surrogates. Of several reasons the first one listed counts; the
 * last one takes away least.
 */
enum Demotion {
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
    FLASH_RECEIVED("the request has flash attributes", false),
    TAG_UNUSABLE("a tag template gave no valid tag for the arguments", true),
    VARIANT_NOT_NORMALISED("no trusted surrogate named the variant of this request", false),
    VARIANT_DIFFERS("the surrogate in front named a different variant", false),
    TAGS_TOO_LONG("its tags exceed quire.headers.tag-limit", false);

    private final String because;
    private final boolean programmingError;

    Demotion(String because, boolean programmingError) {
        this.because = because;
        this.programmingError = programmingError;
    }

    /** The reason for people, the rest of a sentence that begins with "because". */
    String because() {
        return because;
    }

    /** Whether the handler can never be public as it is written, so that strict mode refuses it. */
    boolean isProgrammingError() {
        return programmingError;
    }

    /** The reason as a header shows it. */
    String token() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
