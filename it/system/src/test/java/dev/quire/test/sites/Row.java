package dev.quire.test.sites;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;

/**
 * One line of a table: the same question to an origin alone and behind each proxy.
 *
 * @param table for example {@code 1.4}
 * @param name unique in its table
 * @param columns that are asked
 */
record Row(String table, String name, Set<Column.Kind> columns, Check check) {
    /** Everything but the origin alone. */
    static final Set<Column.Kind> PROXIES = EnumSet.complementOf(EnumSet.of(Column.Kind.ORIGIN));

    static final Set<Column.Kind> ALL = EnumSet.allOf(Column.Kind.class);

    /** One conversation with a column. */
    interface Check {
        /**
         * Returns the cell of the table, {@code yes} or a figure.
         *
         * @throws AssertionError with what was found, if the expectation does not hold
         */
        String in(Column column) throws Exception;
    }

    /** A check without a figure. */
    interface Steps {
        void in(Column column) throws Exception;
    }

    Row {
        columns = Set.copyOf(columns);
    }

    static Row of(String table, String name, Steps steps) {
        return of(table, name, ALL, steps);
    }

    static Row of(String table, String name, Set<Column.Kind> columns, Steps steps) {
        return new Row(
                table,
                name,
                columns,
                column -> {
                    steps.in(column);
                    return "yes";
                });
    }

    /** The answer of {@code column}, which this row applies to. */
    Cell ask(Column column) {
        try {
            return new Cell(true, check.in(column));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Cell(false, "interrupted");
        } catch (ExecutionException e) {
            return new Cell(false, line(e.getCause() == null ? e : e.getCause()));
        } catch (Exception | AssertionError e) {
            return new Cell(false, line(e));
        }
    }

    /** The first and the last line of the message of {@code failure}: the kind and the cause. */
    private static String line(Throwable failure) {
        var message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        var lines = message.strip().lines().toList();
        var line = lines.size() < 2 ? message : lines.getFirst() + " " + lines.getLast();
        var plain = line.replaceAll("[^\\x20-\\x7e]+", "?").strip();
        return plain.startsWith("expected") ? plain : "expected yes, found: " + plain;
    }

    @Override
    public String toString() {
        return table + " " + name;
    }

    /**
     * One cell of a table.
     *
     * @param holds whether the expectation holds
     */
    record Cell(boolean holds, String text) {}
}
