package dev.quire.news.article;

import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Draws a picture for an article: shapes that suit its section, placed by its number. The SVG
 * contains numbers and colours only, no text from other sources, and is put into a page unescaped.
 */
final class Illustration {
    private static final int WIDTH = 320;
    private static final int HEIGHT = 180;

    private final StringBuilder svg = new StringBuilder(1_024);
    private final SplittableRandom random;

    private Illustration(long seed) {
        random = new SplittableRandom(seed * 0x9E37_79B9L);
    }

    static String of(Section section, long number) {
        return new Illustration(number).draw(section, number);
    }

    private String draw(Section section, long number) {
        add(
                "<svg class=\"picture\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\""
                        + " focusable=\"false\"><rect width=\"%d\" height=\"%d\" fill=\"%s\"/>",
                WIDTH, HEIGHT, WIDTH, HEIGHT, section.colour());
        add(
                "<rect width=\"%d\" height=\"%d\" fill=\"#000\" fill-opacity=\"%s\"/>",
                WIDTH, HEIGHT, opacity(0, 32));
        switch (section) {
            case POLITICS -> election(number);
            case ECONOMY -> columns();
            case SOCIETY -> skyline();
            case LIFE -> hills();
            case SCIENCE -> orbits();
            case ENTERTAINMENT -> show(number);
            case SPORT -> pitch();
        }
        return svg.append("</svg>").toString();
    }

    /** One of the sights of an election: the box, the hall or the map. */
    private void election(long number) {
        switch ((int) (number % 3)) {
            case 0 -> ballots();
            case 1 -> hall();
            default -> tiles();
        }
    }

    /** Lamps over tables with piles of papers. */
    private void hall() {
        for (int i = 0; i < 4; i++) {
            int x = 40 + i * 80;
            add("<path d=\"M%d 0V22\" stroke=\"#101820\" stroke-width=\"2\"/>", x);
            add(
                    "<path d=\"M%d 34L%d 110L%d 110Z\" fill=\"#fff3cf\" fill-opacity=\"%s\"/>",
                    x, x - 46, x + 46, opacity(12, 26));
            add("<path d=\"M%d 34a14 14 0 0 1 28 0z\" fill=\"#f3e7c4\"/>", x - 14);
        }
        for (int row = 0; row < 2; row++) {
            int y = 112 + row * 36;
            add("<rect y=\"%d\" width=\"320\" height=\"9\" fill=\"#101820\"/>", y);
            for (int i = 0; i < 9; i++) {
                int height = between(4, 24);
                add(
                        "<rect x=\"%d\" y=\"%d\" width=\"22\" height=\"%d\" fill=\"#fff\""
                                + " fill-opacity=\"%s\"/>",
                        10 + i * 35 + between(-4, 4), y - height, height, opacity(70, 98));
            }
        }
    }

    /** Squares of a map, some of them filled. */
    private void tiles() {
        for (int row = 0; row < 4; row++) {
            for (int column = 0; column < 7; column++) {
                if (between(0, 9) < 7) {
                    add(
                            "<rect x=\"%d\" y=\"%d\" width=\"36\" height=\"36\" rx=\"3\""
                                    + " fill=\"#fff\" fill-opacity=\"%s\"/>",
                            22 + column * 40, 11 + row * 40, opacity(10, 88));
                }
            }
        }
    }

    /** Papers falling into a box. */
    private void ballots() {
        for (int i = 0; i < 5; i++) {
            int x = 30 + i * 52 + between(-12, 12);
            int y = between(14, 74);
            add(
                    "<g transform=\"rotate(%d %d %d)\" fill=\"#fff\" fill-opacity=\"%s\"><rect"
                            + " x=\"%d\" y=\"%d\" width=\"40\" height=\"54\" rx=\"2\"/><circle"
                            + " cx=\"%d\" cy=\"%d\" r=\"7\" fill=\"none\" stroke=\"%s\""
                            + " stroke-width=\"3\"/></g>",
                    between(-24, 24),
                    x + 20,
                    y + 27,
                    opacity(60, 95),
                    x,
                    y,
                    x + 20,
                    y + between(14, 40),
                    Section.POLITICS.colour());
        }
        int left = between(50, 90);
        add("<rect x=\"%d\" y=\"118\" width=\"180\" height=\"62\" fill=\"#101820\"/>", left);
        add("<rect x=\"%d\" y=\"128\" width=\"92\" height=\"6\" fill=\"#fff\"/>", left + 44);
    }

    /** Bars and the line over them. */
    private void columns() {
        var line = new StringBuilder();
        for (int i = 0; i < 9; i++) {
            int top = between(36, 140);
            int x = 16 + i * 33;
            add(
                    "<rect x=\"%d\" y=\"%d\" width=\"22\" height=\"%d\" fill=\"#fff\""
                            + " fill-opacity=\"%s\"/>",
                    x, top, HEIGHT - top, opacity(18, 55));
            line.append(x + 11).append(',').append(Math.max(12, top - between(10, 28))).append(' ');
        }
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"#fff\" stroke-width=\"4\"/>",
                line.toString().strip());
    }

    /** Houses with some windows lit. */
    private void skyline() {
        add("<circle cx=\"%d\" cy=\"42\" r=\"18\" fill=\"#f3e7c4\"/>", between(40, 280));
        int x = -8;
        while (x < WIDTH) {
            int width = between(34, 62);
            int top = between(48, 128);
            add(
                    "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#18202c\""
                            + " fill-opacity=\"%s\"/>",
                    x, top, width, HEIGHT - top, opacity(70, 100));
            for (int y = top + 10; y < HEIGHT - 12; y += 18) {
                add(
                        "<rect x=\"%d\" y=\"%d\" width=\"7\" height=\"9\" fill=\"#f6d98b\"/>",
                        x + 8 + 12 * between(0, (width - 16) / 12), y);
            }
            x += width + 3;
        }
    }

    /** Ridges under a sky. */
    private void hills() {
        add("<circle cx=\"%d\" cy=\"%d\" r=\"26\" fill=\"#f7e3a1\"/>", between(50, 270), 50);
        for (int ridge = 0; ridge < 3; ridge++) {
            int base = 86 + ridge * 28;
            add(
                    "<path d=\"M0 180V%d Q%d %d %d %d T%d %dV180Z\" fill=\"#0e2a38\""
                            + " fill-opacity=\"%s\"/>",
                    base + between(-12, 12),
                    between(50, 90),
                    base - between(18, 44),
                    between(130, 180),
                    base + between(-10, 14),
                    WIDTH,
                    base + between(-16, 10),
                    opacity(30 + ridge * 18, 45 + ridge * 20));
        }
    }

    /** Rings with dots on them. */
    private void orbits() {
        int x = between(110, 210);
        int y = between(70, 110);
        for (int ring = 1; ring <= 5; ring++) {
            int radius = ring * 24 + between(-4, 4);
            double angle = Math.toRadians(between(0, 359));
            add(
                    "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"none\" stroke=\"#fff\""
                            + " stroke-opacity=\"%s\" stroke-width=\"2\"/>",
                    x, y, radius, opacity(25, 70));
            add(
                    "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"#ffd9a0\"/>",
                    x + Math.round(radius * Math.cos(angle)),
                    y + Math.round(radius * Math.sin(angle)),
                    between(4, 8));
        }
    }

    /** A stage or a film. */
    private void show(long number) {
        if (number % 2 == 0) {
            curtain();
        } else {
            film();
        }
    }

    /** A strip of film that runs across, with something in each frame. */
    private void film() {
        add("<g transform=\"rotate(%d 160 90)\">", between(-9, 9));
        add("<rect x=\"-40\" y=\"28\" width=\"400\" height=\"124\" fill=\"#1d0f18\"/>");
        for (int hole = 0; hole < 16; hole++) {
            add(
                    "<path d=\"M%d 35h12v9h-12zm0 101h12v9h-12z\" fill=\"#fff\""
                            + " fill-opacity=\".75\"/>",
                    -30 + hole * 25);
        }
        for (int frame = 0; frame < 4; frame++) {
            int x = -26 + frame * 96;
            add(
                    "<rect x=\"%d\" y=\"52\" width=\"86\" height=\"76\" fill=\"#fff3cf\""
                            + " fill-opacity=\"%s\"/>",
                    x, opacity(35, 92));
            add(
                    "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"#8c3f63\"/>",
                    x + between(24, 62), between(74, 104), between(9, 20));
        }
        add("</g>");
    }

    /** A stage between curtains, with lights. */
    private void curtain() {
        for (int i = 0; i < 3; i++) {
            int x = 80 + i * 80 + between(-14, 14);
            add(
                    "<path d=\"M%d 0 L%d 150 L%d 150Z\" fill=\"#fff3cf\" fill-opacity=\"%s\"/>",
                    x, x - between(26, 52), x + between(26, 52), opacity(14, 34));
        }
        add("<rect y=\"146\" width=\"320\" height=\"34\" fill=\"#1d0f18\"/>");
        for (int i = 0; i < 4; i++) {
            int fold = 18 + between(-2, 3);
            add("<rect x=\"%d\" width=\"%d\" height=\"152\" fill=\"#5d1f3b\"/>", i * 19, fold - 3);
            add(
                    "<rect x=\"%d\" width=\"%d\" height=\"152\" fill=\"#5d1f3b\"/>",
                    WIDTH - i * 19 - fold, fold - 3);
        }
    }

    /** Lines of a field and a ball. */
    private void pitch() {
        for (int stripe = 0; stripe < 4; stripe++) {
            add(
                    "<rect x=\"%d\" width=\"40\" height=\"180\" fill=\"#fff\""
                            + " fill-opacity=\".07\"/>",
                    stripe * 80);
        }
        int middle = between(120, 200);
        add(
                "<g fill=\"none\" stroke=\"#fff\" stroke-width=\"3\" stroke-opacity=\".75\">"
                        + "<path d=\"M%d 0V180\"/><circle cx=\"%d\" cy=\"90\" r=\"%d\"/>"
                        + "<rect x=\"-4\" y=\"50\" width=\"%d\" height=\"80\"/></g>",
                middle, middle, between(26, 40), between(36, 60));
        add(
                "<circle cx=\"%d\" cy=\"%d\" r=\"9\" fill=\"#fff\"/>",
                between(60, 300), between(20, 160));
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is in a library we do not have
    private void add(String format, Object... numbers) {
        svg.append(String.format(Locale.ROOT, format, numbers));
    }

    private int between(int low, int high) {
        return random.nextInt(low, high + 1);
    }

    private String opacity(int lowPercent, int highPercent) {
        return String.format(Locale.ROOT, "%.2f", between(lowPercent, highPercent) / 100.0);
    }
}
