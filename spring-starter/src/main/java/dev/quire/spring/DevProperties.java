package dev.quire.spring;

import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What helps while an application is developed, and has no place in production.
 *
 * @param enabled whether the catalogue at /quire-dev/fragments answers to clients on this machine,
 *     and a table of all fragments is logged at the start
 * @param markers whether HTML comments with name, times and tags stand around each fragment; only
 *     if enabled
 * @param samples arguments that the catalogue begins with and tests ask with, by name of the
 *     fragment, then of the argument
 */
@ConfigurationProperties("quire.dev")
public record DevProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("false") boolean markers,
        @DefaultValue Map<String, Map<String, String>> samples) {

    public DevProperties {
        var copy = new TreeMap<String, Map<String, String>>();
        samples.forEach((name, arguments) -> copy.put(name, Map.copyOf(arguments)));
        samples = copy;
    }
}
