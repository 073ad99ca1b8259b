package dev.quire.spring.internal.guard;

import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** Reads and extends {@code Vary} of a response. */
final class Varying {

    private static final String VARY = "Vary";

    private Varying() {}

    /** Returns the names in the field. */
    static List<String> names(HttpServletResponse response) {
        var names = new ArrayList<String>();
        for (var line : response.getHeaders(VARY)) {
            names.addAll(List.of(StringUtils.tokenizeToStringArray(line, ",")));
        }
        return names;
    }

    /** Whether the response varies by {@code field}; by null, if it varies by everything. */
    static boolean isBy(@Nullable String field, HttpServletResponse response) {
        for (var name : names(response)) {
            if (name.equals("*") || name.equalsIgnoreCase(field)) {
                return true;
            }
        }
        return false;
    }

    /** Adds {@code field}, if it is not there. */
    static void by(String field, HttpServletResponse response) {
        if (!isBy(field, response)) {
            response.addHeader(VARY, field);
        }
    }
}
