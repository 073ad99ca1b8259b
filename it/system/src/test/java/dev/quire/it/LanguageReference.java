package dev.quire.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The examples of {@code docs/esi.md}: fenced blocks with the language {@code esi}, and rows of
 * tables with the columns {@code Example} and {@code Result}, an expression and its written value.
 * A block {@code http} is the request for the following examples, a block without language is not
 * run; any other language is an error.
 */
final class LanguageReference {
    static final Path FILE = Path.of("..", "..", "docs", "esi.md");

    private static final String FENCE = "```";

    private final List<ReferenceExample> examples = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private final List<String> defaults = new ArrayList<>();
    private final List<String> lines;
    private String heading = "";
    private ReferenceExample.@Nullable Request request;
    private int at;

    /**
     * A row of a table.
     *
     * @param request the request for the evaluation
     * @param result the written value, one char for each byte that is not UTF-8
     */
    record Row(
            String heading,
            int line,
            String expression,
            String result,
            ReferenceExample.@Nullable Request request) {}

    private LanguageReference(List<String> lines) {
        this.lines = lines;
    }

    /** Parses {@code lines}. */
    static LanguageReference of(List<String> lines) {
        var reference = new LanguageReference(lines);
        reference.readAll();
        return reference;
    }

    /** Parses the file. */
    static LanguageReference read() {
        try {
            return of(Files.readAllLines(FILE));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + FILE, e);
        }
    }

    List<ReferenceExample> examples() {
        return examples;
    }

    List<Row> rows() {
        return rows;
    }

    /** Returns {@code key: default} for each row of the table of configuration keys. */
    List<String> defaults() {
        return defaults;
    }

    private void readAll() {
        while (at < lines.size()) {
            var line = lines.get(at);
            if (line.startsWith("#")) {
                heading = line.replaceFirst("^#+ ", "");
                request = null;
                at++;
            } else if (line.startsWith(FENCE)) {
                fence(line.substring(FENCE.length()));
            } else if (line.startsWith("|")) {
                table();
            } else {
                at++;
            }
        }
    }

    private void fence(String language) {
        int start = ++at;
        while (!lines.get(at).equals(FENCE)) {
            at++;
        }
        var content = lines.subList(start, at++);
        switch (language) {
            case "esi" -> examples.add(ReferenceExample.of(heading, start, content));
            case "http" -> request = ReferenceExample.Request.of(content);
            case "" -> {}
            default ->
                    throw new IllegalArgumentException(
                            FILE
                                    + ", line "
                                    + start
                                    + ": expected a block named esi, http or nothing, found "
                                    + language);
        }
    }

    private void table() {
        var columns = cells(lines.get(at));
        int example = columns.indexOf("Example");
        int result = columns.indexOf("Result");
        int key = columns.indexOf("Key");
        at += 2;
        while (at < lines.size() && lines.get(at).startsWith("|")) {
            var cells = cells(lines.get(at++));
            if (example >= 0 && result >= 0) {
                rows.add(
                        new Row(
                                heading,
                                at,
                                code(cells.get(example)),
                                result(cells.get(result)),
                                request));
            }
            if (key >= 0) {
                defaults(codes(cells.get(key)), codes(cells.get(key + 1)));
            }
        }
    }

    private void defaults(List<String> keys, List<String> values) {
        for (int i = 0; i < values.size(); i++) {
            defaults.add(keys.get(i) + ": " + values.get(i));
        }
    }

    private static String result(String cell) {
        if (cell.equals("*empty*")) {
            return "";
        }
        if (!cell.startsWith("*bytes* ")) {
            return code(cell);
        }
        var bytes = new StringBuilder();
        for (var octet : code(cell.substring("*bytes* ".length())).split(" ", -1)) {
            bytes.append((char) Integer.parseInt(octet, 16));
        }
        return bytes.toString();
    }

    private static String code(String cell) {
        var codes = codes(cell);
        if (codes.size() != 1) {
            throw new IllegalArgumentException("expected one piece of code in a cell: " + cell);
        }
        return codes.getFirst();
    }

    private static List<String> codes(String cell) {
        var codes = new ArrayList<String>();
        var pieces = cell.split("`", -1);
        for (int i = 1; i < pieces.length; i += 2) {
            codes.add(pieces[i]);
        }
        return codes;
    }

    /** Returns the cells of a row; a bar in a cell is written {@code \|}. */
    private static List<String> cells(String row) {
        var cells = new ArrayList<String>();
        var cell = new StringBuilder();
        for (int i = 1; i < row.length(); i++) {
            if (row.startsWith("\\|", i)) {
                cell.append('|');
                i++;
            } else if (row.charAt(i) == '|') {
                cells.add(cell.toString().strip());
                cell.setLength(0);
            } else {
                cell.append(row.charAt(i));
            }
        }
        return cells;
    }
}
