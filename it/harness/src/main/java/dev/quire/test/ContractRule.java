package dev.quire.test;

/** The rules a fragment must keep so that it works in any page and any cache. */
enum ContractRule {
    ASKED(
            "could not be requested",
            "give an example: FragmentContract.verifyAll(site, \"/path?argument=…\"), or set quire.dev.samples[NAME].ARGUMENT"),
    ANSWERS(
            "answers with an error",
            "check the application's log, the path, and whether it needs an argument or a login"),
    NO_REDIRECT(
            "redirects",
            "return the fragment itself, or 401 if a login is missing, as the starter does for @EsiFragment (docs/spring.md, \"Login, logout, CSRF\")"),
    HEAD_AS_GET("answers HEAD differently from GET", "map it with @GetMapping, which answers both"),
    READ_ONLY(
            "answers POST like GET",
            "map it with @GetMapping instead of @RequestMapping: fragments are read-only"),
    NO_COOKIE(
            "sets a cookie",
            "set cookies in the response of the page itself; do not start a session in the handler or its view"),
    NO_DOCUMENT(
            "is a complete HTML document",
            "return only the elements to insert, without <html>, <head> and <body>; annotate complete pages with @EsiPage"),
    NO_NONCE(
            "contains a Content-Security-Policy nonce",
            "a stored nonce matches only the first page: use hashes ('sha256-…') or script files"),
    NO_CSRF_TOKEN(
            "contains a CSRF token",
            "include the token: <esi:csrf/> in a Thymeleaf form, Esi.csrf().toHtml() elsewhere"),
    REAL_STATUS(
            "reports an error with a success status",
            "let the exception propagate, or throw ResponseStatusException with 400 or 404: an include's onerror and fallback depend on the status"),
    NO_KEPT_ERROR(
            "has a cacheable error",
            "give errors no lifetime: the starter's guard makes them no-store"),
    LIFETIME("has no freshness lifetime", "give it a ttl: @EsiFragment(ttl = \"30s\")"),
    KEPT(
            "is declared public, but its response is private",
            "quire.guard.debug=true shows why in X-Quire-Guard; if that is correct, declare @EsiFragment(scope = PRIVATE)"),
    TAGS(
            "has invalid tags",
            "tags are ASCII without spaces or commas, and at most 16 KiB together (quire.headers.tag-limit): tag the data that changes, not all data shown"),
    CONTENT_TYPE(
            "has no content type or no charset",
            "set Content-Type with a charset: text/html;charset=UTF-8"),
    DECLARED_ESI(
            "contains ESI tags that will not be processed",
            "write them with the starter (esi:include in Thymeleaf, Esi.include(...)) or declare @EsiPage; escape tags that are only text as &lt;esi:");

    private final String broken;
    private final String remedy;

    ContractRule(String broken, String remedy) {
        this.broken = broken;
        this.remedy = remedy;
    }

    String broken() {
        return broken;
    }

    String remedy() {
        return remedy;
    }
}
