package dev.quire.proxy.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The description of one key or section.
 *
 * @param text one sentence or two
 * @param since the first version with the key
 * @param isReloadable whether a reload changes the value
 */
record KeyNote(String text, String since, boolean isReloadable) {
    private static final String FIRST_VERSION = "0.1";

    /** The notes of all keys by {@link Key#path}. */
    static Map<String, KeyNote> all() {
        try (var file = KeyNote.class.getResourceAsStream("keys.yml")) {
            var content =
                    (Map<?, ?>)
                            new Load(LoadSettings.builder().build())
                                    .loadFromInputStream(Objects.requireNonNull(file));
            var notes = new LinkedHashMap<String, KeyNote>();
            content.forEach((path, note) -> notes.put(path.toString(), of(note)));
            return notes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static KeyNote of(Object note) {
        if (!(note instanceof Map<?, ?> details)) {
            return new KeyNote(note.toString(), FIRST_VERSION, true);
        }
        return new KeyNote(
                Objects.requireNonNull(details.get("text")).toString(),
                details.containsKey("since") ? String.valueOf(details.get("since")) : FIRST_VERSION,
                !Boolean.FALSE.equals(details.get("reload")));
    }
}
