package dev.quire.proxy.reference;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A request of a client, or of the cache to the origin.
 *
 * @param target path and query
 */
public record Request(String method, String target, Lines fields) {

    public boolean isGet() {
        return method.equals("GET");
    }

    public boolean isHead() {
        return method.equals("HEAD");
    }

    boolean isSafe() {
        return isGet() || isHead() || method.equals("OPTIONS");
    }

    boolean hasCredentials() {
        return fields.has("Cookie") || fields.has("Authorization");
    }

    /**
     * The value by which {@code name} selects (RFC 9111 §4.1): all lines combined, without white
     * space around commas; languages ignore case.
     */
    Optional<String> selecting(String name) {
        if (!fields.has(name)) {
            return Optional.empty();
        }
        var value =
                fields.all(name).stream()
                        .flatMap(line -> Arrays.stream(line.split(",", -1)))
                        .map(String::strip)
                        .collect(Collectors.joining(","));
        return Optional.of(name.equals("accept-language") ? value.toLowerCase(Locale.ROOT) : value);
    }

    @Override
    public String toString() {
        return method + " " + target + (fields.lines().isEmpty() ? "" : " [" + fields + "]");
    }
}
