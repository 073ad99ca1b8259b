package dev.quire.core.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response changes that a page's functions ask for: {@code $add_header}, {@code
 * $set_response_code}, {@code $set_redirect}.
 *
 * @param status 0 if unchanged
 * @param fields to add, free of control characters
 * @param body replaces the page's, one char for each byte; null if unchanged
 */
public record ResponseEdits(int status, List<Field> fields, @Nullable String body) {

    public static final ResponseEdits NONE = new ResponseEdits(0, List.of(), null);

    /** One field line to add. */
    public record Field(String name, String value) {}

    public ResponseEdits {
        fields = List.copyOf(fields);
    }
}
