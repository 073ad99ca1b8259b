package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.wire.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One example of the language reference: the page, then parts that begin with {@code --- NAME}.
 *
 * @param line number of its first line in the reference
 * @param documents responses of the origin by target, including the page
 * @param configuration sections of the configuration, by name
 * @param upstream expected requests at the origin
 */
record ReferenceExample(
        String heading,
        int line,
        String text,
        Map<String, Answer> documents,
        Request request,
        Map<String, String> configuration,
        List<Request> upstream,
        Expected expected) {

    private static final Pattern PART = Pattern.compile("^--- ?(\\S+) ?(.*)$");
    private static final Pattern FIELD = Pattern.compile("^([A-Za-z-]+): ?(.*)$");
    private static final Pattern ESI_TAG = Pattern.compile("<esi:|<!--esi");

    /**
     * A request of an example.
     *
     * @param fields names and values alternating; without a value the field must be absent
     */
    record Request(String method, String target, List<String> fields, String body) {

        /** Parses {@code GET /target}, field lines, and the body after an empty line. */
        static Request of(List<String> lines) {
            var first = lines.getFirst().split(" ", 2);
            var fields = new ArrayList<String>();
            int at = 1;
            while (at < lines.size() && !lines.get(at).isEmpty()) {
                var field = FIELD.matcher(lines.get(at));
                if (!field.matches()) {
                    throw new IllegalArgumentException("not a field line: " + lines.get(at));
                }
                fields.add(field.group(1));
                fields.add(field.group(2));
                at++;
            }
            var body = at < lines.size() ? lines.subList(at + 1, lines.size()) : List.<String>of();
            return new Request(first[0], first[1], fields, String.join("\n", body));
        }

        String path() {
            int query = target.indexOf('?');
            return query < 0 ? target : target.substring(0, query);
        }

        /** Returns the target percent-encoded as by a browser. */
        String encodedTarget() {
            var encoded = new StringBuilder();
            for (byte octet : target.getBytes(UTF_8)) {
                char c = (char) (octet & 0xFF);
                if (c <= ' ' || c > '~' || "<>\"\\^`{|}".indexOf(c) >= 0) {
                    encoded.append(String.format("%%%02X", (int) c));
                } else {
                    encoded.append(c);
                }
            }
            return encoded.toString();
        }
    }

    /**
     * * The expected response.
     *
     * @param fields names and values alternating
     * @param body null if an example does not show it
     */
    record Expected(int status, List<String> fields, @Nullable String body) {}

    /**
     * Reads an example.
     *
     * @throws IllegalArgumentException if it is malformed
     */
    static ReferenceExample of(String heading, int line, List<String> lines) {
        var parts = new ArrayList<Part>();
        parts.add(new Part("page", "", new ArrayList<>()));
        for (var each : lines) {
            var part = PART.matcher(each);
            if (part.matches()) {
                parts.add(new Part(part.group(1), part.group(2), new ArrayList<>()));
            } else {
                parts.getLast().lines().add(each);
            }
        }
        var documents = new TreeMap<String, Answer>();
        var configuration = new TreeMap<String, String>();
        var upstream = new ArrayList<Request>();
        Request request = new Request("GET", "/", List.of(), "");
        Expected expected = null;
        for (var part : parts.subList(1, parts.size())) {
            switch (part.name()) {
                case "request" -> request = Request.of(part.lines());
                case "upstream" -> upstream.add(Request.of(part.lines()));
                case "config" -> {
                    var section = part.text().split(":", 2);
                    configuration.put(section[0], section[1]);
                }
                case "output" -> expected = part.expected();
                default -> {
                    if (!part.name().startsWith("/")) {
                        throw new IllegalArgumentException(
                                "not a part of an example: " + part.name());
                    }
                    documents.put(part.name(), part.document());
                }
            }
        }
        if (expected == null) {
            throw new IllegalArgumentException("an example without output");
        }
        if (!parts.getFirst().lines().isEmpty()) {
            documents.put(request.path(), parts.getFirst().document());
        }
        return new ReferenceExample(
                heading,
                line,
                String.join("\n", lines),
                documents,
                request,
                configuration,
                upstream,
                expected);
    }

    /** The part after one {@code ---}. */
    private record Part(String name, String words, List<String> lines) {

        String text() {
            return String.join("\n", lines);
        }

        Answer document() {
            int status = 200;
            var type = "text/html;charset=utf-8";
            boolean asksForEsi = ESI_TAG.matcher(text()).find();
            var rest = words;
            while (!rest.isEmpty() && !FIELD.matcher(rest).matches()) {
                var word = rest.split(" ", 2);
                switch (word[0]) {
                    case "plain" -> asksForEsi = false;
                    case "json" -> type = "application/json";
                    default -> status = Integer.parseInt(word[0]);
                }
                rest = word.length == 1 ? "" : word[1];
            }
            var answer = Answer.status(status).field("Content-Type", type).body(text());
            if (asksForEsi) {
                answer = answer.field("Surrogate-Control", Answers.ESI);
            }
            var field = FIELD.matcher(rest);
            return field.matches() ? answer.field(field.group(1), field.group(2)) : answer;
        }

        Expected expected() {
            var word = words.split(" ", 2);
            int status = words.isEmpty() ? 200 : Integer.parseInt(word[0]);
            var fields = new ArrayList<String>();
            var field = FIELD.matcher(word.length == 1 ? "" : word[1]);
            if (field.matches()) {
                fields.add(field.group(1));
                fields.add(field.group(2));
            }
            return new Expected(
                    status, fields, !words.isEmpty() && lines.isEmpty() ? null : text());
        }
    }
}
