package dev.quire.bench.peers;

import java.util.Locale;

/**
 * An SVG picture without scripts, for light and dark backgrounds. Lengths are in pixels; the
 * classes of its style are {@code ink}, {@code faint}, {@code grid}, {@code ours}, {@code bound},
 * {@code peer-1} to {@code peer-4}.
 */
final class Svg {
    private static final String STYLE =
            """
            text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif }
            .title { font-size: 17px; font-weight: 600 } .group { font-weight: 600 }
            .small { font-size: 11px } .end { text-anchor: end } .middle { text-anchor: middle }
            .paper { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e }
            .grid { stroke: #d1d9e0; stroke-width: 1; fill: none }
            .ours { fill: #12805c; stroke: #12805c } .bound { fill: #aab4be; stroke: #aab4be }
            .peer-1 { fill: #4a76b8; stroke: #4a76b8 } .peer-2 { fill: #8a63b0; stroke: #8a63b0 }
            .peer-3 { fill: #b8793a; stroke: #b8793a } .peer-4 { fill: #a8506a; stroke: #a8506a }
            .line { fill: none; stroke-width: 2 } .name { stroke: none }
            .bound.name { fill: #59636e }
            @media (prefers-color-scheme: dark) {
              .paper { fill: #0d1117 } .ink { fill: #f0f6fc } .faint { fill: #9198a1 }
              .grid { stroke: #3d444d } .ours { fill: #3fc796; stroke: #3fc796 }
              .bound { fill: #656f7a; stroke: #656f7a } .peer-1 { fill: #79a5e6; stroke: #79a5e6 }
              .peer-2 { fill: #b893e0; stroke: #b893e0 } .peer-3 { fill: #dda25f; stroke: #dda25f }
              .peer-4 { fill: #dd8aa2; stroke: #dd8aa2 }
              .name { stroke: none } .bound.name { fill: #9198a1 }
            }
            """;

    private final StringBuilder shapes = new StringBuilder();

    /** A filled bar. */
    Svg bar(double x, double y, double width, double height, String classes) {
        shapes.append(
                "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"2\" class=\"%s\"/>\n"
                        .formatted(px(x), px(y), px(width), px(height), classes));
        return this;
    }

    /** One line of text with its baseline at {@code y}. */
    Svg text(double x, double y, String classes, String text) {
        shapes.append(
                "<text x=\"%s\" y=\"%s\" class=\"%s\">%s</text>\n"
                        .formatted(px(x), px(y), classes, escaped(text)));
        return this;
    }

    Svg line(double fromX, double fromY, double toX, double toY, String classes) {
        shapes.append(
                "<path d=\"M%s %sL%s %s\" class=\"%s\"/>\n"
                        .formatted(px(fromX), px(fromY), px(toX), px(toY), classes));
        return this;
    }

    Svg dot(double x, double y, String classes) {
        shapes.append(
                "<circle cx=\"%s\" cy=\"%s\" r=\"4\" class=\"%s\"/>\n"
                        .formatted(px(x), px(y), classes));
        return this;
    }

    /** Returns the picture; {@code title} is its accessible name. */
    String picture(double width, double height, String title) {
        return """
        <svg xmlns="http://www.w3.org/2000/svg" width="%1$s" height="%2$s" \
        viewBox="0 0 %1$s %2$s" role="img">
        <title>%3$s</title>
        <style>
        %4$s</style>
        <rect width="%1$s" height="%2$s" class="paper"/>
        %5$s</svg>
        """
                .formatted(px(width), px(height), escaped(title), STYLE, shapes);
    }

    private static String px(double pixels) {
        var text = String.format(Locale.ROOT, "%.1f", pixels);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    /** Escapes text for XML 1.0 and removes characters it does not allow. */
    static String escaped(String text) {
        var escaped = new StringBuilder(text.length());
        text.codePoints()
                .filter(c -> c >= ' ' && c != 0xfffe && c != 0xffff && (c < 0xd800 || c > 0xdfff))
                .forEach(c -> {
                    switch (c) {
                        case '<' -> escaped.append("&lt;");
                        case '>' -> escaped.append("&gt;");
                        case '&' -> escaped.append("&amp;");
                        case '"' -> escaped.append("&quot;");
                        default -> escaped.appendCodePoint(c);
                    }
                });
        return escaped.toString();
    }
}
