package dev.quire.test;

/** What a fragment has to keep to so that it can stand in any page and in any cache. */
public enum ContractRule {
    /** Somebody knows how to ask for it. */
    ASKED(
            "could not be asked for",
            "name an example behind the site: FragmentContract.verifyAll(site, \"/path?argument=…\"), or set quire.dev.samples[NAME].ARGUMENT"),
    /** It answers GET. */
    ANSWERS(
            "answers with an error",
            "look at the application's log; is the path right, does it need an argument or a login?"),
    /** It is a part of a page: a redirect cannot be. */
    NO_REDIRECT(
            "redirects",
            "answer with the fragment itself; where a login is missing with 401, as the starter does for @EsiFragment (docs/spring.md, \"Login, logout, CSRF\")"),
    /** HEAD is answered as GET is. */
    HEAD_AS_GET("answers HEAD otherwise than GET", "map it with @GetMapping, which answers both"),
    /** Nothing else is answered like GET. */
    READ_ONLY(
            "answers POST as it does GET",
            "map it with @GetMapping instead of @RequestMapping: a fragment is read, never written"),
    /** It sets no cookie: that of a fragment never reaches a browser. */
    NO_COOKIE(
            "sets a cookie",
            "set cookies where the page itself is answered; begin no session in the handler and its view"),
    /** It is a part of a page, not one. */
    NO_DOCUMENT(
            "is a whole document",
            "write only the elements that go into the page, without <html>, <head> and <body>; what is a page says @EsiPage"),
    /** It holds no nonce. */
    NO_NONCE(
            "has a nonce of Content-Security-Policy in it",
            "it matches no page but the first: use hashes ('sha256-…') or script files"),
    /** It holds no CSRF token. */
    NO_CSRF_TOKEN(
            "has a CSRF token in it",
            "include the token: <esi:csrf/> in a Thymeleaf form, Esi.csrf().toHtml() elsewhere"),
    /** What is wrong with a request is said by the status. */
    REAL_STATUS(
            "tells an error with a status of success",
            "let the exception through, or throw ResponseStatusException with 400 or 404: an include's onerror and fallback go by the status"),
    /** An error has no lifetime. */
    NO_KEPT_ERROR(
            "has an error kept",
            "leave errors without a lifetime: the starter's guard makes them no-store"),
    /** What is public says how long. */
    LIFETIME("does not say how long it may be kept", "give it a ttl: @EsiFragment(ttl = \"30s\")"),
    /** What is declared public leaves as public. */
    KEPT(
            "is declared public and leaves as private",
            "quire.guard.debug=true shows why in X-Quire-Guard; if it is right, say @EsiFragment(scope = PRIVATE)"),
    /** Its tags can be purged, and fit into a field. */
    TAGS(
            "has tags that cannot be used",
            "tags have neither blanks nor commas nor anything beyond ASCII, and fit into 16 KiB together (quire.headers.tag-limit): tag by what changes, not by all that is shown"),
    /** It says what it is. */
    CONTENT_TYPE(
            "does not say what it is", "say Content-Type with a charset: text/html;charset=UTF-8"),
    /** Tags of the language stand only in what is announced as ESI. */
    DECLARED_ESI(
            "has ESI tags in it that nobody will run",
            "write them by the starter's means (esi:include in Thymeleaf, Esi.include(...)) or say @EsiPage; tags that are only text are written &lt;esi:");

    private final String broken;
    private final String remedy;

    ContractRule(String broken, String remedy) {
        this.broken = broken;
        this.remedy = remedy;
    }

    /** The rest of a sentence that begins with the fragment that breaks it. */
    String broken() {
        return broken;
    }

    String remedy() {
        return remedy;
    }
}
