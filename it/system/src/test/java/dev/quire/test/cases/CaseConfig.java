package dev.quire.test.cases;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The settings of a case that differ from the defaults.
 *
 * @param settings values in JSON by their keys in the section {@code esi}
 * @param chunkSizes replace the usual ones; empty for those
 */
record CaseConfig(Map<String, String> settings, List<Integer> chunkSizes) {
    static final CaseConfig NONE = new CaseConfig(Map.of(), List.of());

    private enum Kind {
        TEXT,
        TEXTS,
        NUMBER,
        TRUTH,
        OBJECT
    }

    private record Setting(String name, String key, Kind kind) {}

    private static final List<Setting> SETTINGS =
            List.of(
                    new Setting("contentTypes", "content-types", Kind.TEXTS),
                    new Setting("allowedHosts", "allowed-hosts", Kind.TEXTS),
                    new Setting("deviceToken", "device-token", Kind.TEXT),
                    new Setting("onErrorDefault", "on-error", Kind.TEXT),
                    new Setting("maxDepth", "max-depth", Kind.NUMBER),
                    new Setting("maxIncludes", "max-includes", Kind.NUMBER),
                    new Setting("cookieVarDenylist", "denied-cookies", Kind.TEXTS),
                    new Setting("esiArgsPrefix", "args-prefix", Kind.TEXT),
                    new Setting("passSetCookie", "pass-set-cookie", Kind.TRUTH),
                    new Setting("decodeQuery", "decode-query", Kind.TRUTH),
                    new Setting("trustDownstreamSurrogate", "trust-downstream", Kind.TRUTH),
                    new Setting("customVariables", "variables", Kind.OBJECT));

    /** Reads the settings; problems are reported to {@code entry}. */
    static CaseConfig read(Entry entry) {
        var settings = new LinkedHashMap<String, String>();
        for (var setting : SETTINGS) {
            switch (setting.kind()) {
                case TEXT -> entry.text(setting.name());
                case TEXTS -> entry.texts(setting.name());
                case NUMBER -> entry.number(setting.name(), 0, Integer.MAX_VALUE);
                case TRUTH -> entry.truth(setting.name());
                case OBJECT -> entry.entry(setting.name());
            }
            entry.json(setting.name()).ifPresent(json -> settings.put(setting.key(), json));
        }
        var sizes = new ArrayList<Integer>();
        for (var size : entry.array("chunkSizes", "numbers")) {
            if (size.isIntegralNumber() && size.canConvertToInt() && size.intValue() > 0) {
                sizes.add(size.intValue());
            } else {
                entry.wrong("chunkSizes", "holds " + size, "numbers from 1 up");
            }
        }
        entry.refuseOthers();
        return new CaseConfig(settings, List.copyOf(sizes));
    }

    /** The settings as the section {@code esi} of a configuration file; JSON is YAML. */
    String yaml() {
        return settings.entrySet().stream()
                .map(setting -> setting.getKey() + ": " + setting.getValue())
                .collect(Collectors.joining(", ", "{ ", " }"));
    }
}
