package dev.quire.core.parse;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The elements the parser knows, by the name after {@code esi:}. */
enum Element {
    INCLUDE("include"),
    EVAL("eval"),
    PARAM("param"),
    REQUEST_HEADER("request_header"),
    REQUEST_BODY("request_body"),
    REPLACE("replace"),
    INLINE("inline"),
    FRAGMENT("fragment"),
    CHOOSE("choose"),
    WHEN("when"),
    OTHERWISE("otherwise"),
    TRY("try"),
    ATTEMPT("attempt"),
    EXCEPT("except"),
    VARS("vars"),
    TEXT("text"),
    REMOVE("remove"),
    COMMENT("comment"),
    ASSIGN("assign"),
    FOREACH("foreach"),
    BREAK("break"),
    FUNCTION("function"),
    RETURN("return"),
    DEBUG("debug"),
    LOG("log"),
    INVALIDATE("invalidate"),
    ENVIRONMENT("environment"),
    REDIRECT("redirect"),
    COOKIE("cookie"),
    SPECIAL_INCLUDE("special-include"),
    /** Any other element: its tags are stripped, its content stays. */
    UNKNOWN("");

    private static final Map<String, Element> BY_NAME =
            Arrays.stream(values())
                    .filter(element -> element != UNKNOWN)
                    .collect(Collectors.toUnmodifiableMap(each -> each.text, Function.identity()));

    private static final Set<Element> CHILDREN_OF_CALL =
            EnumSet.of(PARAM, REQUEST_HEADER, REQUEST_BODY, REPLACE, LOG);
    private static final Set<Element> EMPTY =
            EnumSet.of(
                    COMMENT,
                    PARAM,
                    REQUEST_HEADER,
                    REQUEST_BODY,
                    BREAK,
                    RETURN,
                    DEBUG,
                    ENVIRONMENT,
                    REDIRECT,
                    COOKIE,
                    SPECIAL_INCLUDE);
    private static final Set<Element> BARRED_FROM_VALUES =
            EnumSet.of(INCLUDE, EVAL, INLINE, FUNCTION, FRAGMENT);

    private final String text;

    Element(String text) {
        this.text = text;
    }

    /** Returns the element called {@code name}, which is case-sensitive. */
    static Element named(String name) {
        return BY_NAME.getOrDefault(name, UNKNOWN);
    }

    /** Returns the names of all elements except {@link #UNKNOWN}. */
    static Set<String> names() {
        return BY_NAME.keySet();
    }

    /** Whether it may be a child of an include or eval. */
    boolean isChildOfCall() {
        return CHILDREN_OF_CALL.contains(this);
    }

    /** Whether it never has content: its start tag is the whole element. */
    boolean isEmpty() {
        return EMPTY.contains(this);
    }

    /** Whether it is not allowed in a value: it includes, contains or defines something. */
    boolean isBarredFromValues() {
        return BARRED_FROM_VALUES.contains(this);
    }

    /** Whether it is allowed directly in {@code block}, a choose or try. */
    boolean mayStandIn(Element block) {
        return switch (this) {
            case WHEN, OTHERWISE -> block == Element.CHOOSE;
            case ATTEMPT, EXCEPT -> block == Element.TRY;
            // These show nothing, or are reported for another reason.
            case COMMENT, REMOVE, LOG, INVALIDATE, DEBUG, ENVIRONMENT, REDIRECT, COOKIE -> true;
            default -> false;
        };
    }

    /** Returns the name after {@code esi:}; empty for {@link #UNKNOWN}. */
    String text() {
        return text;
    }

    /** Returns the name as written in a tag, for diagnostics. */
    @Override
    public String toString() {
        return "esi:" + text;
    }
}
