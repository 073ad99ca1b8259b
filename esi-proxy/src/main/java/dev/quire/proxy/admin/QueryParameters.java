package dev.quire.proxy.admin;

import dev.quire.core.text.NearestName;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The parameters in the query of a request; unknown ones are errors. */
record QueryParameters(Map<String, String> parameters) {

    /**
     * Parses {@code query}, which has no question mark.
     *
     * @param names the permitted parameters
     * @throws InvalidRequest if it has others, one twice, or malformed percent-encoding
     */
    static QueryParameters read(String query, List<String> names) {
        var parameters = new HashMap<String, String>();
        for (var parameter : query.split("&", -1)) {
            if (parameter.isEmpty()) {
                continue;
            }
            int equals = parameter.indexOf('=');
            var name = equals < 0 ? parameter : parameter.substring(0, equals);
            if (!names.contains(name)) {
                throw new InvalidRequest(
                        "unknown parameter '" + name + "'",
                        names.isEmpty()
                                ? "no parameter"
                                : "'" + NearestName.to(name, names) + "', the nearest match");
            }
            var value = equals < 0 ? "" : decoded(name, parameter.substring(equals + 1));
            if (parameters.putIfAbsent(name, value) != null) {
                throw new InvalidRequest(name + ": is given twice", "once");
            }
        }
        return new QueryParameters(Map.copyOf(parameters));
    }

    private static String decoded(String name, String value) {
        try {
            // A plus is literal: this is not a form.
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequest(
                    name + ": '" + value + "' is malformed", "percent-encoding (RFC 3986 §2.1)");
        }
    }

    Optional<String> value(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /** Whether a switch is on: {@code name} or {@code name=true}. */
    boolean isOn(String name) {
        var value = value(name);
        if (value.isPresent() && !List.of("", "true", "false").contains(value.get())) {
            throw new InvalidRequest(
                    name + ": invalid value '" + value.get() + "'", "true or false");
        }
        return value.isPresent() && !value.get().equals("false");
    }
}
