package dev.quire.test.sites;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/**
 * All rows with some columns.
 *
 * @param cells by row; a column to which a row does not apply is absent
 */
record Run(Map<Row, Map<Column.Kind, Row.Cell>> cells) {
    /** Rows mostly wait, but share the processors with all servers. */
    private static final int AT_ONCE = 6;

    /**
     * Returns all rows in the order of their tables.
     *
     * @param withPackages whether Django and WordPress are asked
     */
    static List<Row> rows(Scale scale, boolean withPackages) {
        var rows = new ArrayList<Row>();
        rows.addAll(ApplicationRows.all());
        if (withPackages) {
            rows.addAll(DjangoRows.all());
            rows.addAll(WordPressRows.all());
        }
        rows.addAll(SizeRows.all(withPackages));
        rows.addAll(TransferRows.all(scale));
        rows.addAll(ProtocolRows.all(scale));
        return rows;
    }

    /** Starts the origins and {@code kinds} and asks all rows. */
    static Run of(Tools tools, Scale scale, Set<Column.Kind> kinds) throws IOException {
        var columns = new ArrayList<Column>();
        var pending = new LinkedHashMap<Row, Map<Column.Kind, CompletableFuture<Row.Cell>>>();
        try (var servers = new Servers(tools, scale)) {
            kinds.forEach(kind -> columns.add(new Column(kind, servers, tools)));
            try (var executor =
                    Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory())) {
                // The protocol's rows last in the tables wait longest.
                for (var row : rows(scale, tools.packages() != null).reversed()) {
                    var asked =
                            new EnumMap<Column.Kind, CompletableFuture<Row.Cell>>(
                                    Column.Kind.class);
                    for (var column : columns) {
                        if (row.columns().contains(column.kind())) {
                            asked.put(
                                    column.kind(),
                                    CompletableFuture.supplyAsync(() -> row.ask(column), executor));
                        }
                    }
                    pending.putFirst(row, asked);
                }
            } finally {
                columns.forEach(Column::close);
            }
        }
        var cells = new LinkedHashMap<Row, Map<Column.Kind, Row.Cell>>();
        pending.forEach((row, asked) -> {
            var found = new EnumMap<Column.Kind, Row.Cell>(Column.Kind.class);
            asked.forEach((kind, cell) -> found.put(kind, cell.join()));
            cells.put(row, found);
        });
        return new Run(cells);
    }

    /**
     * Returns a line for each row that Quire does not hold, and for each that an origin alone does
     * not hold, whose other cells prove nothing.
     */
    List<String> failures() {
        var lines = new ArrayList<String>();
        cells.keySet().forEach(row -> lines.addAll(failures(row)));
        return lines;
    }

    List<String> failures(Row row) {
        var lines = new ArrayList<String>();
        Objects.requireNonNull(cells.get(row), row::toString)
                .forEach((kind, cell) -> {
                    boolean isJudged = kind == Column.Kind.ORIGIN || kind == Column.Kind.QUIRE;
                    if (isJudged && !cell.holds()) {
                        lines.add("%s: %s: %s".formatted(row, kind, cell.text()));
                    }
                });
        return lines;
    }

    /** Returns the tables in Markdown. */
    String tables(Set<Column.Kind> kinds) {
        var text = new StringBuilder();
        var table = "";
        for (var entry : cells.entrySet()) {
            var row = entry.getKey();
            if (!row.table().equals(table)) {
                table = row.table();
                text.append("\n| ").append(table).append(" |");
                kinds.forEach(kind -> text.append(' ').append(kind).append(" |"));
                text.append("\n| --- |").append(" --- |".repeat(kinds.size())).append('\n');
            }
            text.append("| ").append(row.name().replace("|", "\\|")).append(" |");
            for (var kind : kinds) {
                var cell = entry.getValue().get(kind);
                text.append(' ').append(cell == null ? "" : shown(cell)).append(" |");
            }
            text.append('\n');
        }
        return text.toString().stripLeading();
    }

    private static String shown(Row.Cell cell) {
        var text = cell.text().replace("|", "\\|");
        return cell.holds() ? text : "no: " + text.substring(0, Math.min(80, text.length()));
    }
}
