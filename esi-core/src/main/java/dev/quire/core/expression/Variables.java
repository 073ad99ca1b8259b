package dev.quire.core.expression;

import org.jspecify.annotations.Nullable;

/** What a document may know besides what it has assigned itself: the request, above all. */
public interface Variables {

    /**
     * The value of {@code name}, or of its entry {@code key}; {@link Value.Null} if there is none.
     *
     * @param name case-sensitive, without {@code RAW_}
     */
    Value value(String name, @Nullable String key);

    /**
     * How confidential it is what {@code name} is, even if it is nothing: a page that asks for a
     * cookie depends on the client, whether or not the client has it.
     */
    Value.Source source(String name);
}
