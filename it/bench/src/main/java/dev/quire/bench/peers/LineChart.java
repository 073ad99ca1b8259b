package dev.quire.bench.peers;

import java.util.List;

/**
 * Points with fitted lines; both axes start at zero.
 *
 * @param notes lines below the title
 */
record LineChart(
        String title, List<String> notes, String xTitle, String yTitle, List<Series> series) {
    private static final double WIDTH = 860;
    private static final double MARGIN = 20;
    private static final double LEFT = 80;
    private static final double PLOT_WIDTH = 520;
    private static final double PLOT_HEIGHT = 300;
    private static final double LINE = 18;
    private static final int MARKS = 5;

    /**
     * @param label text at the end of the line
     * @param look its class in {@link Svg}
     */
    record Series(String label, List<Line.Point> points, Line line, String look) {
        double maxX() {
            return points.stream().mapToDouble(Line.Point::x).max().orElse(0);
        }

        double maxY() {
            return points.stream().mapToDouble(Line.Point::y).max().orElse(0);
        }
    }

    String svg() {
        double maxX = nice(series.stream().mapToDouble(Series::maxX).max().orElse(1));
        double maxY = nice(series.stream().mapToDouble(Series::maxY).max().orElse(1));
        var svg = new Svg();
        double top = MARGIN + LINE;
        svg.text(MARGIN, top, "title ink", title);
        for (var note : notes) {
            top += LINE;
            svg.text(MARGIN, top, "small faint", note);
        }
        top += 2 * LINE;
        svg.text(MARGIN, top - LINE / 2, "small faint", yTitle);
        double bottom = top + PLOT_HEIGHT;
        for (int mark = 0; mark <= MARKS; mark++) {
            double x = LEFT + PLOT_WIDTH * mark / MARKS;
            double y = bottom - PLOT_HEIGHT * mark / MARKS;
            svg.line(LEFT, y, LEFT + PLOT_WIDTH, y, "grid");
            svg.text(LEFT - 8, y + 4, "small faint end", number(maxY * mark / MARKS));
            svg.text(x, bottom + LINE, "small faint middle", number(maxX * mark / MARKS));
        }
        svg.text(LEFT + PLOT_WIDTH / 2, bottom + 2 * LINE, "small faint middle", xTitle);
        var labels = new Labels(top);
        for (var one :
                series.stream().sorted((a, b) -> Double.compare(b.maxY(), a.maxY())).toList()) {
            double last = one.maxX();
            svg.line(
                    LEFT,
                    bottom - PLOT_HEIGHT * Math.max(0, one.line().atZero()) / maxY,
                    LEFT + PLOT_WIDTH * last / maxX,
                    bottom - PLOT_HEIGHT * Math.max(0, one.line().at(last)) / maxY,
                    one.look() + " line");
            for (var point : one.points()) {
                svg.dot(
                        LEFT + PLOT_WIDTH * point.x() / maxX,
                        bottom - PLOT_HEIGHT * point.y() / maxY,
                        one.look());
            }
            double y = labels.place(bottom - PLOT_HEIGHT * one.line().at(last) / maxY + 4);
            svg.text(LEFT + PLOT_WIDTH + 10, y, one.look() + " name", one.label());
        }
        return svg.picture(WIDTH, bottom + 2 * LINE + MARGIN, title);
    }

    private static String number(double value) {
        return value < 10 && value != Math.rint(value)
                ? "%.1f".formatted(value)
                : "%,.0f".formatted(value);
    }

    /** Returns the next of 1, 2, 2.5 or 5 times a power of ten. */
    static double nice(double value) {
        if (!(value > 0)) {
            return 1;
        }
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        for (double step : new double[] {1, 2, 2.5, 5}) {
            if (value <= step * power * (1 + 1e-9)) {
                return step * power;
            }
        }
        return 10 * power;
    }

    /** Keeps labels from overlapping; place them from the top down. */
    private static final class Labels {
        private double free;

        Labels(double top) {
            this.free = top;
        }

        double place(double wanted) {
            double y = Math.max(wanted, free);
            free = y + LINE;
            return y;
        }
    }
}
