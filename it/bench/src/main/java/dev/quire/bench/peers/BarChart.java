package dev.quire.bench.peers;

import java.util.List;

/**
 * Groups of horizontal bars. Each group has its own scale: its longest bar fills the width.
 *
 * @param notes lines below the title
 */
public record BarChart(String title, List<String> notes, List<Group> groups) {
    private static final double WIDTH = 860;
    private static final double MARGIN = 20;
    private static final double NAMES = 130;

    /** Of a character in a name, at most on average. */
    private static final double CHARACTER = 7;

    private static final double LONGEST = 400;
    private static final double LINE = 18;
    private static final double ROW = 22;
    private static final double BAR = 16;
    private static final double GAP = 16;

    /** Bars under one heading. */
    public record Group(String title, List<Bar> bars) {}

    /**
     * A bar.
     *
     * @param length in any unit, not negative
     * @param label text after the bar
     * @param look its class in {@link Svg}
     */
    public record Bar(String name, double length, String label, String look) {}

    public String svg() {
        var svg = new Svg();
        double bars = MARGIN + names();
        double y = MARGIN + LINE;
        svg.text(MARGIN, y, "title ink", title);
        for (var note : notes) {
            y += LINE;
            svg.text(MARGIN, y, "small faint", note);
        }
        for (var group : groups) {
            y += GAP + ROW;
            svg.text(MARGIN, y, "group ink", group.title());
            y += GAP / 2;
            double longest = group.bars().stream().mapToDouble(Bar::length).max().orElse(0);
            for (var bar : group.bars()) {
                double length = longest > 0 ? LONGEST * bar.length() / longest : 0;
                double base = y + BAR - 4;
                svg.text(bars - 8, base, "ink end", bar.name());
                svg.bar(bars, y, Math.max(1, length), BAR, bar.look());
                svg.text(bars + length + 8, base, "ink", bar.label());
                y += ROW;
            }
            y -= ROW - BAR;
        }
        return svg.picture(WIDTH, y + MARGIN, title);
    }

    /** Returns the width of the longest name, with the space behind it. */
    private double names() {
        int longest =
                groups.stream()
                        .flatMap(group -> group.bars().stream())
                        .mapToInt(bar -> bar.name().length())
                        .max()
                        .orElse(0);
        return Math.max(NAMES, CHARACTER * longest + 8);
    }
}
