package dev.quire.spring;

import java.util.Optional;

/**
 * What can be seen of a response as it commits, for one that its handler declares public.
 *
 * @param failureKept whether code has said how long an error may be kept
 * @param ofVariant why its variant is this reader's alone, if it is
 */
record Facts(
        int status,
        boolean failureKept,
        boolean handlerFailed,
        boolean saidPrivate,
        boolean setsCookie,
        boolean createdSession,
        boolean sessionIdInUrl,
        boolean csrfToken,
        boolean principalRead,
        boolean sessionRead,
        boolean cookieRead,
        boolean flashReceived,
        boolean tagUnusable,
        boolean tagsTooLong,
        Optional<Demotion> ofVariant) {

    /** Why the response must not be public; empty when it may. */
    Optional<Demotion> demotion() {
        if (handlerFailed && !failureKept) {
            return Optional.of(Demotion.HANDLER_FAILED);
        }
        if (status >= 400 && !failureKept) {
            return Optional.of(Demotion.ERROR_STATUS);
        }
        if (saidPrivate) {
            return Optional.of(Demotion.HANDLER_SAID_PRIVATE);
        }
        if (csrfToken) {
            return Optional.of(Demotion.CSRF_TOKEN);
        }
        if (createdSession) {
            return Optional.of(Demotion.SESSION_CREATED);
        }
        if (setsCookie) {
            return Optional.of(Demotion.SET_COOKIE);
        }
        if (sessionIdInUrl) {
            return Optional.of(Demotion.SESSION_ID_IN_URL);
        }
        if (principalRead) {
            return Optional.of(Demotion.PRINCIPAL_READ);
        }
        if (sessionRead) {
            return Optional.of(Demotion.SESSION_READ);
        }
        if (cookieRead) {
            return Optional.of(Demotion.COOKIE_READ);
        }
        if (flashReceived) {
            return Optional.of(Demotion.FLASH_RECEIVED);
        }
        if (tagUnusable) {
            return Optional.of(Demotion.TAG_UNUSABLE);
        }
        if (ofVariant.isPresent()) {
            return ofVariant;
        }
        // last, for it takes away least
        return tagsTooLong ? Optional.of(Demotion.TAGS_TOO_LONG) : Optional.empty();
    }
}
