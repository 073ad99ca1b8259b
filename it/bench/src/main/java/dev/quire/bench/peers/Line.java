package dev.quire.bench.peers;

import java.util.List;

/**
 * A straight line fitted by least squares.
 *
 * @param slope change of y per unit of x
 * @param atZero y where x is 0
 * @param fit the explained share of the variance of y, 0 to 1 (R²)
 */
record Line(double slope, double atZero, double fit) {

    /** A measured point. */
    record Point(double x, double y) {}

    /**
     * Fits a line to {@code points}.
     *
     * @throws IllegalArgumentException if there are fewer than two different x
     */
    static Line through(List<Point> points) {
        if (points.stream().mapToDouble(Point::x).distinct().count() < 2) {
            throw new IllegalArgumentException(
                    "a line needs points at two or more different x: " + points);
        }
        double meanX = points.stream().mapToDouble(Point::x).average().orElseThrow();
        double meanY = points.stream().mapToDouble(Point::y).average().orElseThrow();
        double xx = 0;
        double xy = 0;
        double yy = 0;
        for (var point : points) {
            double x = point.x() - meanX;
            double y = point.y() - meanY;
            xx += x * x;
            xy += x * y;
            yy += y * y;
        }
        double slope = xy / xx;
        return new Line(slope, meanY - slope * meanX, yy == 0 ? 1 : xy * xy / (xx * yy));
    }

    double at(double x) {
        return atZero + slope * x;
    }
}
