package dev.quire.test.sites;

import java.util.HashMap;
import java.util.Map;

/**
 * Keys of Quire's configuration that differ from its defaults; peers ignore them.
 *
 * @param origin keys of the origin, for example {@code via: off}
 * @param sections by name, as YAML
 */
record Settings(String origin, Map<String, String> sections) {
    static final Settings DEFAULT = new Settings("", Map.of());

    Settings {
        sections = Map.copyOf(sections);
    }

    Settings withOrigin(String keys) {
        return new Settings(keys, sections);
    }

    Settings with(String section, String yaml) {
        var more = new HashMap<>(sections);
        more.put(section, yaml);
        return new Settings(origin, more);
    }
}
