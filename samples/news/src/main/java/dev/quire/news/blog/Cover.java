package dev.quire.news.blog;

import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Draws the picture of a post: things from the workshop that suit its category, placed by a number.
 * The SVG contains numbers and colours only and is put into a page unescaped.
 */
final class Cover {
    private final StringBuilder svg = new StringBuilder(1200);
    private final SplittableRandom random;

    private Cover(long seed) {
        random = new SplittableRandom(seed * 0x9E37_79B9L);
    }

    static String of(String category, int number) {
        return new Cover(number).draw(category);
    }

    private String draw(String category) {
        svg.append("<svg viewBox=\"0 0 360 200\" aria-hidden=\"true\" focusable=\"false\">");
        switch (category) {
            case "Mills" -> sheets();
            case "Binding" -> spine();
            case "Ink" -> drops();
            case "Type" -> type();
            default -> leaves();
        }
        return svg.append("</svg>").toString();
    }

    /** Sheets on a line, with uneven lower edges. */
    private void sheets() {
        ground("#cfd8cf");
        add("<path d=\"M0 %dQ180 %d 360 %d\" stroke=\"#4b5a50\" fill=\"none\"/>", 34, 48, 30);
        for (int sheet = 0; sheet < 4; sheet++) {
            int x = 22 + sheet * 84 + between(-6, 6);
            int top = 35 + between(0, 3);
            int bottom = top + between(104, 132);
            add("<path fill=\"#fffdf6\" d=\"M%d %dH%dV%d", x, top, x + 62, bottom);
            for (int step = 1; step <= 6; step++) {
                add("L%d %d", x + 62 - step * 62 / 6, bottom + between(-4, 4));
            }
            svg.append("Z\"/>");
            add("<path stroke=\"#4b5a50\" stroke-width=\"4\" d=\"M%d %dv12\"/>", x + 31, top - 6);
        }
    }

    /** Gatherings seen from the back, sewn with a thread. */
    private void spine() {
        ground("#d9c7b0");
        int count = between(6, 9);
        int wide = 248 / count;
        for (int gathering = 0; gathering < count; gathering++) {
            add(
                    "<rect x=\"%d\" y=\"22\" width=\"%d\" height=\"156\" rx=\"%d\" fill=\"#fffaf0\"/>",
                    56 + gathering * wide, wide - 3, wide / 3);
        }
        for (int row = 0; row < 4; row++) {
            int y = 44 + row * 36 + between(-3, 3);
            add("<path fill=\"none\" stroke=\"#9c3d2a\" stroke-width=\"3\" d=\"M%d %d", 52, y);
            for (int gathering = 0; gathering < count; gathering++) {
                add("q%d %d %d 0", wide / 2, gathering % 2 == 0 ? 9 : -9, wide);
            }
            svg.append("\"/>");
        }
    }

    /** Drops of ink that have run. */
    private void drops() {
        ground("#f3ecdd");
        for (int drop = 0; drop < 6; drop++) {
            int x = between(30, 330);
            int y = between(26, 150);
            int radius = between(9, 34);
            add(
                    "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"#24304f\" fill-opacity=\".%d\"/>",
                    x, y, radius, between(45, 95));
            add(
                    "<path d=\"M%d %dv%d\" stroke=\"#24304f\" stroke-width=\"%d\""
                            + " stroke-linecap=\"round\" stroke-opacity=\".7\"/>",
                    x + between(-4, 4), y, radius + between(4, 40), between(2, 6));
        }
        add(
                "<path d=\"M20 %dC90 %d 150 %d 210 %dS310 %d 340 %d\" fill=\"none\" stroke=\"#24304f\""
                        + " stroke-width=\"2\"/>",
                172, between(130, 190), between(150, 196), 176, between(140, 190), 168);
    }

    /** Sorts in a case, one of them taken out. */
    private void type() {
        ground("#5b4a3b");
        int missing = between(0, 20);
        for (int sort = 0; sort < 21; sort++) {
            int x = 24 + sort % 7 * 46;
            int y = 20 + sort / 7 * 56;
            add("<path fill=\"#3f3228\" d=\"M%d %dh40v48h-40z\"/>", x, y);
            if (sort != missing) {
                int tall = between(12, 30);
                add(
                        "<path fill=\"#b9b4a8\" d=\"M%d %dh24v40h-24z\"/><path fill=\"#26221d\""
                                + " d=\"M%d %dh%dv%dh-%dz\"/>",
                        x + 8, y + 4, x + 13, y + 9, 5, tall, 5);
            }
        }
    }

    /** An open book with something between its pages. */
    private void leaves() {
        ground("#c9b7c1");
        svg.append(
                "<path fill=\"#fffaf2\" d=\"M180 46C140 26 80 26 34 38V172C80 160 140 160 180 180C220"
                        + " 160 280 160 326 172V38C280 26 220 26 180 46Z\"/>");
        for (int line = 0; line < 8; line++) {
            int y = 58 + line * 13;
            add(
                    "<path stroke=\"#b8a8a0\" stroke-width=\"2\" d=\"M52 %dH%dM200 %dH%d\"/>",
                    y, between(120, 160), y, between(250, 308));
        }
        add(
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#b3542e\""
                        + " fill-opacity=\".85\" transform=\"rotate(%d 180 100)\"/>",
                between(140, 170),
                between(30, 60),
                between(34, 60),
                between(60, 96),
                between(-24, 24));
    }

    private void ground(String colour) {
        add("<rect width=\"360\" height=\"200\" fill=\"%s\"/>", colour);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is in a library we do not have
    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }

    private int between(int low, int high) {
        return random.nextInt(low, high + 1);
    }
}
