package dev.quire.news.election;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Lines over the night; x is the number of polling places counted. Lengths in SVG units; the plot
 * lies between the margins.
 */
record LineChart(List<Line> lines, List<Tick> levels, List<Tick> times) {
    private static final int WIDTH = 760;
    private static final int HEIGHT = 320;
    private static final int LEFT = 52;
    private static final int RIGHT = 112;
    private static final int TOP = 16;
    private static final int BOTTOM = 34;
    private static final int LEVELS = 5;
    private static final int TIMES = 5;

    /** The line of one candidate: the points of a polyline and the label at its end. */
    record Line(Candidate candidate, String points, double endX, double endY, String words) {}

    /** A grid line and its label. */
    record Tick(double at, String words) {}

    /** Shares of the valid votes in percent, of those candidates who matter for the outcome. */
    static LineChart ofShares(List<Tally> history) {
        var leaders = history.isEmpty() ? List.<Candidate>of() : history.getLast().ranking();
        return of(
                history,
                leaders.stream().limit(2).sorted().toList(),
                Tally::share,
                "%.1f%%",
                false);
    }

    /** Votes of all candidates, in millions. */
    static LineChart ofVotes(List<Tally> history) {
        return of(
                history,
                Arrays.asList(Candidate.values()),
                (tally, candidate) -> tally.votesFor(candidate) / 1e6,
                "%.1fm",
                true);
    }

    private static LineChart of(
            List<Tally> history,
            List<Candidate> candidates,
            ToDoubleBiFunction<Tally, Candidate> value,
            String format,
            boolean fromZero) {
        if (history.size() < 2) {
            return new LineChart(List.of(), List.of(), List.of());
        }
        double low = extreme(history, candidates, value, false);
        double high = extreme(history, candidates, value, true);
        double bottom = fromZero ? 0 : Math.floor(low);
        double step = Math.max(0.5, Math.ceil((high - bottom) / (LEVELS - 1) * 2) / 2);
        double top = bottom + step * (LEVELS - 1);
        int first = history.getFirst().places();
        int last = history.getLast().places();

        var lines = new ArrayList<Line>();
        double lowestLabel = Double.POSITIVE_INFINITY;
        for (Candidate candidate : byLastValueUpwards(history.getLast(), candidates, value)) {
            var points =
                    history.stream()
                            .map(tally ->
                                    number(x(tally.places(), first, last))
                                            + ","
                                            + number(
                                                    y(
                                                            value.applyAsDouble(tally, candidate),
                                                            bottom,
                                                            top)))
                            .collect(Collectors.joining(" "));
            double end = value.applyAsDouble(history.getLast(), candidate);
            // Labels of lines that end close together are stacked upwards.
            double endY = Math.min(y(end, bottom, top) + 4, lowestLabel - 15);
            lowestLabel = endY;
            lines.add(
                    new Line(
                            candidate,
                            points,
                            WIDTH - RIGHT + 8.0,
                            rounded(endY),
                            candidate.label() + " " + printed(format, end)));
        }
        return new LineChart(
                lines,
                IntStream.range(0, LEVELS)
                        .mapToDouble(i -> bottom + step * i)
                        .mapToObj(level ->
                                new Tick(rounded(y(level, bottom, top)), printed(format, level)))
                        .toList(),
                IntStream.range(0, TIMES)
                        .map(i -> first + (last - first) * i / (TIMES - 1))
                        .mapToObj(places ->
                                new Tick(
                                        rounded(x(places, first, last)),
                                        Count.timeAfter(places).substring(0, 5)))
                        .toList());
    }

    public String viewBox() {
        return "0 0 " + WIDTH + " " + HEIGHT;
    }

    public int left() {
        return LEFT;
    }

    public int right() {
        return WIDTH - RIGHT;
    }

    public int top() {
        return TOP;
    }

    public int bottom() {
        return HEIGHT - BOTTOM;
    }

    private static List<Candidate> byLastValueUpwards(
            Tally last, List<Candidate> candidates, ToDoubleBiFunction<Tally, Candidate> value) {
        return candidates.stream()
                .sorted((one, other) ->
                        Double.compare(
                                value.applyAsDouble(last, one), value.applyAsDouble(last, other)))
                .toList();
    }

    private static double extreme(
            List<Tally> history,
            List<Candidate> candidates,
            ToDoubleBiFunction<Tally, Candidate> value,
            boolean highest) {
        var values =
                history.stream()
                        .flatMapToDouble(tally ->
                                candidates.stream()
                                        .mapToDouble(one -> value.applyAsDouble(tally, one)));
        return highest ? values.max().orElse(1) : values.min().orElse(0);
    }

    private static double x(int places, int first, int last) {
        return LEFT
                + (double) (WIDTH - LEFT - RIGHT) * (places - first) / Math.max(1, last - first);
    }

    private static double y(double value, double bottom, double top) {
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - bottom) / (top - bottom);
    }

    private static double rounded(double length) {
        return Math.round(length * 10) / 10.0;
    }

    private static String number(double length) {
        return String.format(Locale.ROOT, "%.1f", length);
    }

    private static String printed(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
