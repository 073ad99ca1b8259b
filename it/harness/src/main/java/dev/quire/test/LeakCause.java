package dev.quire.test;

/**
 * The likely cause of a {@link LeakFinding}: content that a shared cache would give to the wrong
 * reader, or an error that it would store. In report order.
 */
public enum LeakCause {
    /** A public response contains the name of a user. */
    USER_NAME(
            "shows a reader's name to everyone",
            "declare @EsiFragment(scope = PRIVATE) on the handler, or move the greeting into a separate private fragment (docs/spring.md, \"A login box\"). A @ModelAttribute, a static or a ThreadLocal reaches every handler: keep the name out of those that public handlers use"),
    /** A public response contains another secret of one user. */
    SECRET(
            "shows one reader's secret to everyone",
            "declare @EsiFragment(scope = PRIVATE) on the handler, or move that part into a separate private fragment (docs/spring.md, \"A login box\")"),
    /** A public response contains a CSRF token, so the forms of all other readers fail. */
    CSRF_TOKEN(
            "contains a CSRF token",
            "include the token instead of rendering it: <esi:csrf/> in a Thymeleaf form, Esi.csrf().toHtml() elsewhere, and action instead of th:action (docs/spring.md, \"Login, logout, CSRF\")"),
    /** A public response sets a cookie, or starts a session. */
    SESSION_COOKIE(
            "sets a cookie",
            "do not start a session or set a cookie in a public handler, its view or its interceptors: flash attributes, @SessionAttributes and getSession() start one, a JSP without session=\"false\" does too. Set cookies in the response of the page itself, from a private handler"),
    /** A URL contains the id of a session. */
    SESSION_ID_IN_URL(
            "contains a session id in a URL",
            "set server.servlet.session.tracking-modes=cookie, and write URLs without response.encodeURL(...) and without your own session ids"),
    /** The response depends on the reader's language, without a matching {@code Vary}. */
    LOCALE_WITHOUT_VARY(
            "differs by language, but has no matching Vary",
            "make the language part of the path or a variant (a VariantResolver, then @EsiFragment(vary = \"language\")), add Vary: Accept-Language, or set spring.web.locale-resolver=fixed. Check for a locale held in a ThreadLocal or a static, too"),
    /** The response depends on another request field, without a matching {@code Vary}. */
    HEADER_WITHOUT_VARY(
            "differs by a request field, but has no matching Vary",
            "add that field to Vary, make the value derived from it a variant (a VariantResolver, then @EsiFragment(vary = …)) or part of the URL, or do not read it in a public handler; for Accept, set produces = \"text/html\" on the mapping"),
    /** A public response contains a nonce of Content-Security-Policy. */
    NONCE(
            "contains a Content-Security-Policy nonce",
            "a stored nonce is reused and matches no later page: use hashes ('sha256-…') or script files in cached responses"),
    /** An error response is cacheable. */
    CACHED_ERROR(
            "is a cacheable error",
            "return an error status and no lifetime: let the exception propagate, or throw ResponseStatusException, and the starter's guard makes it no-store. To allow a cacheable status: LeakDetector.keepingOnPurpose(404)"),
    /** The response is public for some users and private for others. */
    KEPT_FOR_SOME(
            "is public for some readers and private for others, at the same URL",
            "any reader can get the stored copy. Declare @EsiFragment(scope = PRIVATE), or what it differs by: vary = \"login\""),
    /** The response shows the time it was generated. */
    TIMESTAMP(
            "shows the time it was generated",
            "all readers share it for its lifetime. If that is intended, add ignoring(\"%s\"); if not, render the time in the browser"),
    /** The response contains a random value. */
    RANDOM_ID(
            "contains a random value",
            "all readers share it for its lifetime. If it is only an id, add ignoring(\"%s\"); if it identifies readers, make it private"),
    /** The response changes from one request of the same user to the next. */
    UNSTABLE(
            "changes from one request to the next",
            "changing data hides differences between readers: keep it fixed during the test. If the change is harmless, add ignoring(\"%s\")"),
    /** The response differs between readers for an unknown reason. */
    UNKNOWN(
            "differs between readers",
            "declare @EsiFragment(scope = PRIVATE) on the handler, or what it differs by: vary = \"login\" or \"role\", your own VariantResolver, or Vary"),
    /**
     * The handler is declared public, but no reader got a public response, so none was compared.
     */
    NOT_SHARED(
            "is declared public, but private for every reader",
            "if it belongs to one reader, declare @EsiFragment(scope = PRIVATE); if not, remove the cause: with quire.guard.debug=true the field X-Quire-Guard names it. A declared variant needs quire.variants.secret, in tests too"),
    /** No reader got a valid response: it was absent, truncated, an error or a redirect. */
    NO_ANSWER(
            "gave no response to check",
            "requested by %s: check the path, its arguments, whether one of the users may see it, and the application's log. To allow a status: LeakDetector.keepingOnPurpose(404)"),
    /** There is no example target. */
    NOT_ASKED(
            "could not be requested",
            "give an example: LeakDetector.example(\"%s\", \"/path?argument=…\"), or the property quire.dev.samples[%s].ARGUMENT");

    private final String what;
    private final String remedy;

    LeakCause(String what, String remedy) {
        this.what = what;
        this.remedy = remedy;
    }

    /** The end of a sentence that starts with the fragment. */
    String what() {
        return what;
    }

    /** The remedy, with {@code place} inserted as the selector or name. */
    String remedy(String place) {
        return remedy.replace("%s", place);
    }
}
