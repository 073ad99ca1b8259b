package dev.quire.news.writing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * The facts and wordings of one kind of story, read from a file of blocks:
 *
 * <ul>
 *   <li>{@code # rows}: a table, cells separated by {@code |}
 *   <li>{@code # setting}: {@code name = expression} in SpEL, evaluated once
 *   <li>{@code # facts}: the same, evaluated for each article in this order
 *   <li>{@code # headline}, {@code # standfirst} and each {@code # paragraph}: wordings, each line
 *       one {@link Phrase}
 * </ul>
 */
record Manuscript(
        List<List<Object>> rows,
        List<Fact> setting,
        List<Fact> facts,
        List<Phrase> headline,
        List<Phrase> standfirst,
        List<List<Phrase>> paragraphs) {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    /** The expression that computes a fact. */
    record Fact(String name, Expression expression) {
        Object in(EvaluationContext context) {
            var value = expression.getValue(context);
            if (value == null) {
                throw new IllegalStateException(name + ": expected a value, found null");
            }
            return value;
        }
    }

    /**
     * Reads {@code stories/<name>.txt} from the class path.
     *
     * @throws IllegalStateException with file and line, if the file is missing or malformed
     */
    static Manuscript read(String name) {
        String file = "/stories/" + name + ".txt";
        try (var stream = Manuscript.class.getResourceAsStream(file)) {
            if (stream == null) {
                throw new IllegalStateException("expected " + file + " on the class path");
            }
            var lines = new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
            return parse(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    static Manuscript parse(String file, List<String> lines) {
        var told =
                new Manuscript(
                        new ArrayList<>(),
                        new ArrayList<>(),
                        new ArrayList<>(),
                        new ArrayList<>(),
                        new ArrayList<>(),
                        new ArrayList<>());
        @Nullable Consumer<String> block = null;
        for (int i = 0; i < lines.size(); i++) {
            var line = lines.get(i).strip();
            try {
                if (line.startsWith("#")) {
                    block = told.block(line);
                } else if (!line.isEmpty() && block != null) {
                    block.accept(line);
                } else if (!line.isEmpty()) {
                    throw expected(line);
                }
            } catch (IllegalArgumentException | ParseException e) {
                throw new IllegalStateException(file + ":" + (i + 1) + ": " + e.getMessage(), e);
            }
        }
        if (told.headline.isEmpty() || told.standfirst.isEmpty() || told.paragraphs.isEmpty()) {
            throw new IllegalStateException(
                    file + ": expected a headline, a standfirst and at least one paragraph");
        }
        return told;
    }

    /** Takes the lines of the block that begins with {@code line}. */
    private Consumer<String> block(String line) {
        return switch (line) {
            case "# rows" -> row -> rows.add(cells(row));
            case "# setting" -> source -> setting.add(fact(source));
            case "# facts" -> source -> facts.add(fact(source));
            case "# headline" -> source -> headline.add(Phrase.parse(source));
            case "# standfirst" -> source -> standfirst.add(Phrase.parse(source));
            case "# paragraph" -> {
                var paragraph = new ArrayList<Phrase>();
                paragraphs.add(paragraph);
                yield source -> paragraph.add(Phrase.parse(source));
            }
            default -> throw expected(line);
        };
    }

    private static IllegalArgumentException expected(String found) {
        return new IllegalArgumentException(
                "expected # rows, # setting, # facts, # headline, # standfirst or # paragraph, found: "
                        + found);
    }

    /** Cells; whole numbers become {@code Integer}. */
    private static List<Object> cells(String row) {
        return Arrays.stream(row.split("\\|", -1))
                .map(String::strip)
                .<Object>map(cell -> cell.matches("\\d+") ? Integer.valueOf(cell) : cell)
                .toList();
    }

    private static Fact fact(String source) {
        int equals = source.indexOf(" = ");
        if (equals < 0) {
            throw new IllegalArgumentException("expected NAME = EXPRESSION: " + source);
        }
        return new Fact(
                source.substring(0, equals), PARSER.parseExpression(source.substring(equals + 3)));
    }
}
