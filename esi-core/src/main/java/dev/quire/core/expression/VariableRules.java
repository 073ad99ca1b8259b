package dev.quire.core.expression;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The operator's settings for variables.
 *
 * @param deniedCookies names of cookies whose values are secrets ({@link Value.Source#SECRET}),
 *     with {@code *} for any chars; regardless of case
 * @param decodesQuery whether values of {@code QUERY_STRING{key}} are percent-decoded
 * @param argumentsPrefix of the query arguments in {@code ESI_ARGS}; empty: there are none
 * @param variables by name, the same in every request
 * @param dictionaries variables with keys, by name and key
 * @param changesResponse whether a page may change its response by functions such as {@code
 *     $add_header}
 * @param escapes whether angle brackets in values from the request are escaped in output
 */
public record VariableRules(
        List<String> deniedCookies,
        boolean decodesQuery,
        Optional<String> argumentsPrefix,
        Map<String, String> variables,
        Map<String, Map<String, String>> dictionaries,
        boolean changesResponse,
        boolean escapes) {

    /** The default names of cookies that are never written. */
    public static final List<String> DENIED_COOKIES =
            List.of(
                    "connect.sid",
                    "esi-variant",
                    "remember-me",
                    "*auth*",
                    "*jwt*",
                    "*sess*",
                    "*token*");

    /** The defaults of a proxy. */
    public static final VariableRules STANDARD =
            new VariableRules(DENIED_COOKIES, false, Optional.empty(), Map.of(), true);

    public VariableRules {
        deniedCookies = List.copyOf(deniedCookies);
        var bytes = new LinkedHashMap<String, String>();
        variables.forEach((name, value) -> bytes.put(name, inBytes(value)));
        variables = Map.copyOf(bytes);
        var entries = new LinkedHashMap<String, Map<String, String>>();
        dictionaries.forEach((name, dictionary) -> {
            var ofKeys = new LinkedHashMap<String, String>();
            dictionary.forEach((key, value) -> ofKeys.put(inBytes(key), inBytes(value)));
            entries.put(name, Map.copyOf(ofKeys));
        });
        dictionaries = Map.copyOf(entries);
    }

    /** Creates rules without dictionaries, for pages that may change their response. */
    public VariableRules(
            List<String> deniedCookies,
            boolean decodesQuery,
            Optional<String> argumentsPrefix,
            Map<String, String> variables,
            boolean escapes) {
        this(deniedCookies, decodesQuery, argumentsPrefix, variables, Map.of(), true, escapes);
    }

    /** Whether the operator defines {@code name}. */
    boolean defines(String name) {
        return variables.containsKey(name) || dictionaries.containsKey(name);
    }

    /** Returns the value of {@code name}, or of its entry {@code key}; null if absent. */
    @Nullable String value(String name, @Nullable String key) {
        if (key == null) {
            return variables.get(name);
        }
        var dictionary = dictionaries.get(name);
        return dictionary == null ? null : dictionary.get(key);
    }

    /** Returns one char for each byte of its UTF-8; ASCII text is returned itself. */
    private static String inBytes(String text) {
        return text.chars().allMatch(c -> c < 0x80)
                ? text
                : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
