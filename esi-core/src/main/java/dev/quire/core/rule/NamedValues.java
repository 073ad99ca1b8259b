package dev.quire.core.rule;

import dev.quire.core.expression.Query;
import dev.quire.core.http.Fields;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values of a request or response that have names, as conditions and templates read them. */
public enum NamedValues {
    /** The first argument of each decoded name, decoded. */
    QUERY(Input.QUERY),

    /** The lines of each field of the request, separated by commas; names regardless of case. */
    HEADER(Input.HEADER),

    /** The first cookie of each name. */
    COOKIE(Input.COOKIE),

    /** The lines of each field of the response; absent in the request phase. */
    RESPONSE(Input.RESPONSE);

    private final Input input;

    NamedValues(Input input) {
        this.input = input;
    }

    public Input input() {
        return input;
    }

    /** Returns the value called {@code name}, or null. */
    public @Nullable String value(RuleValues values, String name) {
        return switch (this) {
            case QUERY -> Query.firstDecodedOf(values.request().target(), name);
            case HEADER -> joined(values.request().fields(), name);
            case COOKIE -> CookieLines.first(values.request().fields(), name);
            case RESPONSE -> {
                var response = values.response();
                yield response == null ? null : joined(response.fields(), name);
            }
        };
    }

    /** Returns all values in order; names of fields are in lower case. */
    public Map<String, String> all(RuleValues values) {
        return switch (this) {
            case QUERY -> Query.allDecoded(Query.of(values.request().target()));
            case HEADER -> joined(values.request().fields());
            case COOKIE -> CookieLines.all(values.request().fields());
            case RESPONSE -> {
                var response = values.response();
                yield response == null ? Map.of() : joined(response.fields());
            }
        };
    }

    private static @Nullable String joined(Fields fields, String name) {
        var lines = fields.all(name);
        return switch (lines.size()) {
            case 0 -> null;
            case 1 -> lines.getFirst();
            default -> String.join(", ", lines);
        };
    }

    private static Map<String, String> joined(Fields fields) {
        var all = new LinkedHashMap<String, String>();
        fields.forEach((name, value) ->
                all.merge(name.toLowerCase(Locale.ROOT), value, (a, b) -> a + ", " + b));
        return all;
    }
}
