package dev.quire.test;

/**
 * The likely cause of a {@link LeakFinding}: what a shared cache would give to the wrong reader, or
 * keep although it is no answer at all. In the order of a report.
 */
public enum LeakCause {
    /** The name of a user stands in an answer for everyone. */
    USER_NAME(
            "shows a reader's name to everyone",
            "say @EsiFragment(scope = PRIVATE) on the handler, or move what greets the reader into a private fragment of its own (docs/spring.md, \"A login box\"). If the name comes from a @ModelAttribute, a static or a ThreadLocal, it is there for every handler: take it out of public ones"),
    /** Something else that only one user may see stands in an answer for everyone. */
    SECRET(
            "shows one reader's secret to everyone",
            "say @EsiFragment(scope = PRIVATE) on the handler, or move that part into a private fragment of its own (docs/spring.md, \"A login box\")"),
    /** A CSRF token stands in an answer for everyone: the forms of all readers but one fail. */
    CSRF_TOKEN(
            "has a CSRF token in it",
            "include the token instead of rendering it: <esi:csrf/> in a Thymeleaf form, Esi.csrf().toHtml() elsewhere, and action instead of th:action (docs/spring.md, \"Login, logout, CSRF\")"),
    /** An answer for everyone sets a cookie, or begins a session. */
    SESSION_COOKIE(
            "sets a cookie",
            "begin no session and set no cookie in a public handler, its view and its interceptors: flash attributes, @SessionAttributes and getSession() begin one, a JSP without session=\"false\" does too. Set cookies where the page itself is answered, from a private handler"),
    /** The id of a session stands in an address. */
    SESSION_ID_IN_URL(
            "has the id of a session in an address",
            "set server.servlet.session.tracking-modes=cookie, and write addresses without response.encodeURL(...) and session ids of your own"),
    /** It depends on the language that a reader prefers, and no {@code Vary} says so. */
    LOCALE_WITHOUT_VARY(
            "differs by language, and no Vary says so",
            "make the language part of the path or a variant (a VariantResolver, then @EsiFragment(vary = \"language\")), add Vary: Accept-Language, or set spring.web.locale-resolver=fixed. A locale that a ThreadLocal or a static keeps is one of these too"),
    /** It depends on another field of the request, and no {@code Vary} says so. */
    HEADER_WITHOUT_VARY(
            "differs by a field of the request, and no Vary says so",
            "add that field to Vary, make what it decides a variant (a VariantResolver, then @EsiFragment(vary = …)) or part of the address, or do not read it in a public handler; where it is Accept, say produces = \"text/html\" on the mapping"),
    /** A nonce of Content-Security-Policy stands in an answer for everyone. */
    NONCE(
            "has a nonce of Content-Security-Policy in it",
            "a nonce that is kept is no nonce, and matches no later page: use hashes ('sha256-…') or script files in whatever is cached"),
    /** An error is kept as if it were an answer. */
    CACHED_ERROR(
            "is an error that is kept",
            "answer with an error status and no lifetime: let the exception through, or throw ResponseStatusException, and the starter's guard makes it no-store. Statuses that are meant to be kept: LeakDetector.keepingOnPurpose(404)"),
    /** It is kept when one user asks and private when another does. */
    KEPT_FOR_SOME(
            "is kept for some readers and private for others, at one address",
            "who asks next gets the copy that is kept, whoever they are. Say @EsiFragment(scope = PRIVATE), or declare what it differs by: vary = \"login\""),
    /** It shows the time at which it was made. */
    TIMESTAMP(
            "shows the time at which it was made",
            "all readers share it for its lifetime. If that is meant, say ignoring(\"%s\"); if not, have the browser write the time"),
    /** It has something random in it. */
    RANDOM_ID(
            "has something random in it",
            "all readers share it for its lifetime. If it is only an id, say ignoring(\"%s\"); if it tells readers apart, make it private"),
    /** It changes from one request of the same user to the next. */
    UNSTABLE(
            "changes from one request to the next",
            "with data that moves nobody can tell whose it is: hold it still for the test. If the change is harmless, say ignoring(\"%s\")"),
    /** It depends on who asks, and nothing says by what. */
    UNKNOWN(
            "depends on who asks",
            "say @EsiFragment(scope = PRIVATE) on the handler, or declare what it differs by: vary = \"login\" or \"role\", a VariantResolver of your own, or Vary"),
    /** It is declared public, and no reader got an answer that may be kept: none was compared. */
    NOT_SHARED(
            "is declared public, and private for every reader",
            "if it is one reader's, say @EsiFragment(scope = PRIVATE); if not, take out what makes it private: quire.guard.debug=true has the field X-Quire-Guard tell. What declares a variant needs quire.variants.secret, in a test as well"),
    /** No reader got an answer: there was none, it broke off, or it was an error or a redirect. */
    NO_ANSWER(
            "gives nothing to check",
            "look at %s: is the path right, do its arguments exist, may one of the users see it? If so, the application's log says more. Statuses that are meant: LeakDetector.keepingOnPurpose(404)"),
    /** Nobody knows how to ask for it. */
    NOT_ASKED(
            "could not be asked for",
            "give an example: LeakDetector.example(\"%s\", \"/path?argument=…\"), or the property quire.dev.samples[%s].ARGUMENT");

    private final String what;
    private final String remedy;

    LeakCause(String what, String remedy) {
        this.what = what;
        this.remedy = remedy;
    }

    /** The rest of a sentence that begins with the fragment. */
    String what() {
        return what;
    }

    /** What to do about it, with {@code place} where a selector or a name is due. */
    String remedy(String place) {
        return remedy.replace("%s", place);
    }
}
