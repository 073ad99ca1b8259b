package dev.quire.core.parse;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The elements the parser knows, by the name behind {@code esi:}. */
enum Element {
    INCLUDE("include"),
    REMOVE("remove"),
    COMMENT("comment"),
    PARAM("param"),
    REQUEST_HEADER("request_header"),
    REQUEST_BODY("request_body"),
    REPLACE("replace"),
    /** Any other: its tags vanish and its content stays. */
    UNKNOWN("");

    private static final Map<String, Element> BY_NAME =
            Arrays.stream(values())
                    .filter(element -> element != UNKNOWN)
                    .collect(Collectors.toUnmodifiableMap(each -> each.text, Function.identity()));

    private final String text;

    Element(String text) {
        this.text = text;
    }

    /** The element called {@code name}; names are in lower case and nothing else. */
    static Element named(String name) {
        return BY_NAME.getOrDefault(name, UNKNOWN);
    }

    /** Whether it stands between the tags of an include and nowhere else. */
    boolean isChildOfInclude() {
        return switch (this) {
            case PARAM, REQUEST_HEADER, REQUEST_BODY, REPLACE -> true;
            case INCLUDE, REMOVE, COMMENT, UNKNOWN -> false;
        };
    }

    /** The name as it stands in a tag, for diagnostics. */
    @Override
    public String toString() {
        return "esi:" + text;
    }
}
