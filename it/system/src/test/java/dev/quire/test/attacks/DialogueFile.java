package dev.quire.test.attacks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.attacks.Dialogue.ScriptedAnswer;
import dev.quire.test.attacks.Dialogue.Server;
import dev.quire.test.attacks.Dialogue.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads dialogues. A line is a comment ({@code #}), a command, or content of the command above it,
 * which is indented by two blanks. The README beside the files describes the commands. An unknown
 * word is a problem with its position; any problem rejects the file.
 */
final class DialogueFile {
    /** The proxies that a dialogue can apply to. */
    static final Set<String> SUBJECTS = Set.of("quire", "varnish", "nginx");

    private static final String EXTENSION = ".attack";
    private static final String LOOPBACK = "127.0.0.1";

    private final String file;
    private final List<String> problems = new ArrayList<>();
    private final Map<String, String> config = new LinkedHashMap<>();
    private final List<ScriptedAnswer> answers = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private Set<String> subjects = SUBJECTS;
    private String rule = "";
    private String section = "";

    private DialogueFile(String file) {
        this.file = file;
    }

    /**
     * The dialogue in {@code file}, or the dialogues in that folder, by name.
     *
     * @throws InvalidDialogue if one of them is invalid, or the folder has none
     */
    static List<Dialogue> readAll(Path file) throws InvalidDialogue {
        var files = new ArrayList<Path>();
        try {
            if (Files.isDirectory(file)) {
                try (var found = Files.list(file)) {
                    found.filter(one -> one.toString().endsWith(EXTENSION))
                            .sorted()
                            .forEach(files::add);
                }
            } else {
                files.add(file);
            }
        } catch (IOException e) {
            throw new InvalidDialogue(List.of(file + ": it cannot be read: " + e));
        }
        var dialogues = new ArrayList<Dialogue>();
        var problems = new ArrayList<String>();
        for (var one : files) {
            try {
                dialogues.add(parse(one.getFileName().toString(), Files.readString(one, UTF_8)));
            } catch (InvalidDialogue e) {
                problems.addAll(e.problems());
            } catch (IOException e) {
                problems.add(one + ": it cannot be read: " + e);
            }
        }
        if (files.isEmpty()) {
            problems.add(file + ": no dialogue found (expected files *" + EXTENSION + ")");
        }
        if (!problems.isEmpty()) {
            throw new InvalidDialogue(problems);
        }
        return List.copyOf(dialogues);
    }

    /**
     * The dialogue in {@code text}.
     *
     * @throws InvalidDialogue with every problem, each with its line
     */
    static Dialogue parse(String file, String text) throws InvalidDialogue {
        return new DialogueFile(file).read(text.split("\n", -1));
    }

    private Dialogue read(String[] lines) throws InvalidDialogue {
        int at = 0;
        while (at < lines.length) {
            int start = at;
            var line = lines[at++];
            while (at < lines.length && (lines[at].isEmpty() || lines[at].startsWith("  "))) {
                at++;
            }
            if (line.startsWith("#") || line.isBlank()) {
                // A comment may have blank lines behind it, but no content.
                at = start + 1;
            } else if (line.startsWith(" ")) {
                problem(start, "content without a command (expected a command at the margin)");
            } else {
                command(start, line, content(Arrays.asList(lines).subList(start + 1, at)));
            }
        }
        if (rule.isEmpty() || section.isEmpty()) {
            problem(0, "it has no rule or no section (expected a line of each)");
        }
        if (steps.stream().noneMatch(step -> step instanceof Step.Expect)) {
            problem(0, "it expects nothing (expected a line 'expect …')");
        }
        if (!expectsOfControl()) {
            problem(0, "it expects nothing of a control (expected 'control', then 'expect …')");
        }
        if (!problems.isEmpty()) {
            throw new InvalidDialogue(problems);
        }
        return new Dialogue(file, rule, section, subjects, config, answers, steps);
    }

    /** Without a control a dialogue would pass in front of a proxy that refuses everything. */
    private boolean expectsOfControl() {
        for (int i = 1; i < steps.size(); i++) {
            if (steps.get(i) instanceof Step.Expect
                    && steps.get(i - 1) instanceof Step.Request request
                    && request.isControl()) {
                return true;
            }
        }
        return false;
    }

    /** Without the indent, and without the blank lines at the end. */
    private static List<String> content(List<String> lines) {
        var content =
                lines.stream()
                        .map(line -> line.isEmpty() ? line : line.substring(2))
                        .collect(Collectors.toCollection(ArrayList::new));
        while (!content.isEmpty() && content.getLast().isEmpty()) {
            content.removeLast();
        }
        return content;
    }

    private void command(int at, String line, List<String> content) {
        int blank = line.indexOf(' ');
        var word = blank < 0 ? line : line.substring(0, blank);
        var rest = blank < 0 ? "" : line.substring(blank + 1);
        boolean hasContent =
                switch (word) {
                    case "rule" -> {
                        rule = once(at, rule, rest);
                        yield false;
                    }
                    case "section" -> {
                        section = once(at, section, rest);
                        yield false;
                    }
                    case "for" -> {
                        subjects = subjects(at, rest);
                        yield false;
                    }
                    case "config" -> config(at, rest, content);
                    case "origin" -> answer(at, Server.ORIGIN, rest, content);
                    case "other" -> answer(at, Server.OTHER, rest, content);
                    case "attacker", "victim", "control" -> request(at, word, rest, content);
                    case "expect" -> {
                        expect(at, rest);
                        yield false;
                    }
                    default -> {
                        problem(
                                at,
                                "unknown command '%s' (expected one of %s)"
                                        .formatted(
                                                word,
                                                "attacker, config, control, expect, for, origin,"
                                                        + " other, rule, section, victim"));
                        yield true;
                    }
                };
        if (!hasContent && !content.isEmpty()) {
            problem(at + 1, "content below '%s' (expected a command)".formatted(word));
        }
    }

    private String once(int at, String before, String text) {
        if (!before.isEmpty() || text.isBlank()) {
            problem(at, "the text is empty or repeated (expected it once)");
        }
        return text.strip();
    }

    private Set<String> subjects(int at, String text) {
        var named = Set.copyOf(List.of(text.split(" +", -1)));
        if (!SUBJECTS.containsAll(named)) {
            problem(at, "'%s' (expected some of nginx, quire, varnish)".formatted(text));
        }
        return named;
    }

    private boolean config(int at, String text, List<String> content) {
        int blank = text.indexOf(' ');
        var name = blank < 0 ? text : text.substring(0, blank);
        var value = blank < 0 ? "" : text.substring(blank + 1);
        if (!name.matches("[a-z-]+") || value.isEmpty() == content.isEmpty()) {
            problem(at, "'%s' (expected a section with its YAML here or below)".formatted(text));
        }
        var below = content.stream().map(line -> "\n  " + line).collect(Collectors.joining());
        if (config.put(name, value + below) != null) {
            problem(at, "'%s' is repeated (expected it once)".formatted(name));
        }
        return true;
    }

    private boolean answer(int at, Server server, String path, List<String> content) {
        if (!path.matches("/\\S*|\\*")) {
            problem(at, "'%s' (expected a path that starts with '/', or '*')".formatted(path));
        }
        int end = content.indexOf("");
        var head = end < 0 ? content : content.subList(0, end);
        var body = end < 0 ? List.<String>of() : content.subList(end + 1, content.size());
        if (head.isEmpty() || !head.getFirst().matches("[2-9][0-9]{2}( .*)?")) {
            problem(at + 1, "no status line (expected a final status, then field lines)");
            return true;
        }
        for (int i = 1; i < head.size(); i++) {
            if (!head.get(i).matches("[!#$%&'*+.^_`|~0-9A-Za-z{}-]+:.*")) {
                problem(at + 1 + i, "'%s' (expected a field line)".formatted(head.get(i)));
                return true;
            }
        }
        var lines = new ArrayList<Template>();
        for (int i = 0; i < head.size(); i++) {
            lines.add(template(at + 1 + i, head.get(i), true));
        }
        var text = template(at + 1, String.join("\n", body), true);
        answers.add(new ScriptedAnswer(server, path, lines, text));
        return true;
    }

    private boolean request(int at, String actor, String text, List<String> content) {
        var from = LOOPBACK;
        boolean isRaw = false;
        boolean isAgain = false;
        boolean isOpen = false;
        var words = List.of(text.isEmpty() ? new String[0] : text.split(" ", -1)).iterator();
        while (words.hasNext()) {
            var word = words.next();
            switch (word) {
                case "raw" -> isRaw = true;
                case "again" -> isAgain = true;
                case "open" -> isOpen = true;
                case "from" -> from = address(at, words.hasNext() ? words.next() : null);
                default ->
                        problem(
                                at,
                                "unknown word '%s' (expected again, open, raw or from ADDRESS)"
                                        .formatted(word));
            }
        }
        if (content.isEmpty()) {
            problem(at, "no request (expected its lines below, indented by two blanks)");
            return true;
        }
        var bytes = isRaw ? String.join("", content) : lines(content);
        var template = template(at + 1, bytes, false);
        steps.add(new Step.Request(at + 1, actor, from, isAgain, isOpen, template));
        return true;
    }

    private String address(int at, @Nullable String word) {
        if (word == null || !word.matches("127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}")) {
            problem(at, "'from' without an address of the loopback (expected 127.x.x.x)");
            return LOOPBACK;
        }
        return word;
    }

    /** Lines end in CRLF, and so does the head; the last line of a body has no end. */
    private static String lines(List<String> content) {
        int end = content.indexOf("");
        return end < 0
                ? String.join("\\r\\n", content) + "\\r\\n\\r\\n"
                : String.join("\\r\\n", content);
    }

    private void expect(int at, String text) {
        try {
            steps.add(new Step.Expect(at + 1, Expectation.of(text)));
        } catch (Expectation.Unknown | Template.Malformed e) {
            problem(at, "expect: " + e.getMessage());
        }
    }

    private Template template(int at, String text, boolean mayReflect) {
        try {
            return Template.of(text, mayReflect);
        } catch (Template.Malformed e) {
            problem(at, String.valueOf(e.getMessage()));
            return new Template(List.of());
        }
    }

    /**
     * @param at the line's index, from 0
     */
    private void problem(int at, String text) {
        problems.add("%s:%d: %s".formatted(file, at + 1, text));
    }
}
