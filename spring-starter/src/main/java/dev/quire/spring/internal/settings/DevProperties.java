package dev.quire.spring.internal.settings;

import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Development aids; not for production.
 *
 * @param enabled whether the catalogue at /quire-dev/fragments is served to clients on this
 *     machine, and a table of all fragments is logged at start-up
 * @param markers whether HTML comments with name, times and tags are written around each fragment;
 *     only if enabled
 * @param samples example arguments for the catalogue and for tests, by fragment name, then argument
 *     name
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
