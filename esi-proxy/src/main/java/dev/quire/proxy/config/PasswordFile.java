package dev.quire.proxy.config;

import dev.quire.core.rule.PasswordHash;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A file of {@code htpasswd -B}: a name, a colon and a bcrypt hash on each line. Empty lines and
 * those that begin with {@code #} are ignored. Messages contain none of its text.
 *
 * @param faults what is wrong with it, one for each line at most
 */
record PasswordFile(Map<String, PasswordHash> users, List<Fault> faults) {
    private static final int MAX_FAULTS = 10;
    private static final String LINE = "NAME:HASH on each line, " + AccessReader.HASH_EXPECTED;

    /** The fault, and the expected text. */
    record Fault(String what, String expected) {}

    static PasswordFile read(Path path) {
        byte[] bytes;
        try {
            bytes = NamedFile.read(path, "", "a readable file of htpasswd -B");
        } catch (SyntaxError e) {
            var fault = new Fault(String.valueOf(e.getMessage()), e.expected());
            return new PasswordFile(Map.of(), List.of(fault));
        }
        var users = new LinkedHashMap<String, PasswordHash>();
        var faults = new ArrayList<Fault>();
        var lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
        for (int i = 0; i < lines.size() && faults.size() < MAX_FAULTS; i++) {
            var line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            var at = "line " + (i + 1) + " ";
            int colon = line.indexOf(':');
            var hash = PasswordHash.of(line.substring(colon + 1));
            if (colon < 1) {
                faults.add(new Fault(at + "has no name before a colon", LINE));
            } else if (hash.isEmpty()) {
                faults.add(new Fault(at + "has no bcrypt hash", LINE));
            } else if (users.put(line.substring(0, colon), hash.get()) != null) {
                faults.add(new Fault(at + "names a user again", "each user once"));
            }
        }
        if (users.isEmpty() && faults.isEmpty()) {
            faults.add(new Fault("has no users", LINE));
        }
        return new PasswordFile(users, faults);
    }
}
