package dev.quire.test.cases;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A file of cases, one JSON object a line. Any problem rejects the complete file. */
final class CaseFile {
    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private CaseFile() {}

    /**
     * The cases in {@code file}, at least one.
     *
     * @throws InvalidCases if it cannot be read, or is invalid
     */
    static List<Case> read(String file) throws InvalidCases {
        try {
            return parse(Files.readString(Path.of(file), UTF_8));
        } catch (CharacterCodingException e) {
            throw new InvalidCases(List.of("it is not UTF-8"));
        } catch (IOException | InvalidPathException e) {
            throw new InvalidCases(List.of("it cannot be read: " + e));
        }
    }

    /**
     * The cases in {@code text}, at least one.
     *
     * @throws InvalidCases if it is invalid
     */
    static List<Case> parse(String text) throws InvalidCases {
        var cases = new ArrayList<Case>();
        var problems = new ArrayList<String>();
        var lineOfId = new HashMap<String, Integer>();
        int number = 0;
        for (var line : text.split("\n", -1)) {
            number++;
            if (line.isBlank()) {
                continue;
            }
            var where = "line " + number;
            JsonNode root;
            try {
                root = JSON.readTree(line);
            } catch (JacksonException e) {
                problems.add(
                        "%s: column %d: %s (expected a JSON object)"
                                .formatted(
                                        where,
                                        e.getLocation().getColumnNr(),
                                        e.getOriginalMessage()));
                continue;
            }
            if (!root.isObject()) {
                problems.add(where + ": is " + Entry.kind(root) + " (expected a JSON object)");
                continue;
            }
            var one = Case.read(new Entry(root, where, "", problems), number);
            var first = lineOfId.putIfAbsent(one.id(), number);
            if (first != null && !one.id().isEmpty()) {
                problems.add(
                        "%s: id: '%s' is already used in line %d (expected a unique id)"
                                .formatted(where, one.id(), first));
            }
            cases.add(one);
        }
        if (cases.isEmpty() && problems.isEmpty()) {
            problems.add("line 1: no case found (expected a JSON object a line)");
        }
        if (!problems.isEmpty()) {
            throw new InvalidCases(problems);
        }
        return List.copyOf(cases);
    }
}
