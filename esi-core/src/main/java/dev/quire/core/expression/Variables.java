package dev.quire.core.expression;

import org.jspecify.annotations.Nullable;

/** The variables that a document can read in addition to its own, mainly of the request. */
public interface Variables {

    /**
     * Returns the value of {@code name}, or of its entry {@code key}; {@link Value.Null} if absent.
     *
     * @param name case-sensitive, without {@code RAW_}
     */
    Value value(String name, @Nullable String key);

    /**
     * Returns how confidential {@code name} is, even if it has no value: a page that reads a cookie
     * depends on the client, whether or not the client sent it.
     */
    Value.Source source(String name);

    /** Whether documents may change the response by functions such as {@code $add_header}. */
    default boolean changesResponse() {
        return true;
    }
}
