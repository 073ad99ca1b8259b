package dev.quire.bench.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table in Markdown whose columns are aligned, and so readable as text. */
final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    /**
     * @param titles of the columns; those after the first one are for numbers
     */
    Table(String... titles) {
        rows.add(List.of(titles));
    }

    void row(String... cells) {
        if (cells.length != rows.getFirst().size()) {
            throw new IllegalArgumentException("not one cell a column: " + Arrays.asList(cells));
        }
        rows.add(List.of(cells));
    }

    @Override
    public String toString() {
        int columns = rows.getFirst().size();
        var widths = new int[columns];
        for (var row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(Math.max(widths[i], 3), row.get(i).length());
            }
        }
        var text = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            for (int i = 0; i < columns; i++) {
                var format = i == 0 ? "| %-" + widths[i] + "s " : "| %" + widths[i] + "s ";
                text.append(format.formatted(rows.get(r).get(i)));
            }
            text.append("|\n");
            if (r == 0) {
                for (int i = 0; i < columns; i++) {
                    text.append("| ").append("-".repeat(widths[i] - (i == 0 ? 0 : 1)));
                    text.append(i == 0 ? " " : ": ");
                }
                text.append("|\n");
            }
        }
        return text.toString();
    }
}
