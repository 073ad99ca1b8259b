package dev.quire.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Pages as a news site renders them: long lists of linked headlines, pictures in several sizes,
 * scripts and structured data in between, and ESI tags spread over all of it. The same seed gives
 * the same pages; all pages differ.
 */
final class NewsPages {

    /** More pages than a branch predictor can memorise. */
    static final int COUNT = 64;

    static final int BYTES = 100 * 1024;
    static final int TAGS = 30;

    private static final long SEED = 20_261_120L;

    private static final List<String> WORDS =
            List.of(
                    ("council vote after the of a in budget school bridge winter train says new "
                                    + "plan for city über naïve minister court rain final goal market and to "
                                    + "harbour strike museum opens river night coach festival prices rise again "
                                    + "with without report région election count district results live why how they "
                                    + "won")
                            .split(" ", -1));

    private final Random random;
    private final StringBuilder html = new StringBuilder(BYTES + 4096);
    private final Formatter out = new Formatter(html, Locale.ROOT);
    private final boolean withEsi;
    private int tags;

    private NewsPages(long seed, boolean withEsi) {
        this.random = new Random(seed);
        this.withEsi = withEsi;
    }

    /** {@value #COUNT} pages with {@value #TAGS} ESI tags each. */
    static List<byte[]> withTags() {
        return pages(true);
    }

    /** The same pages, with HTML in place of the tags. */
    static List<byte[]> withoutTags() {
        return pages(false);
    }

    private static List<byte[]> pages(boolean withEsi) {
        return IntStream.range(0, COUNT)
                .mapToObj(i -> new NewsPages(SEED + i, withEsi).page())
                .toList();
    }

    private byte[] page() {
        head();
        html.append("<body class=\"front\">\n<header class=\"top\">");
        tag();
        html.append("</header>\n<nav>\n<ul class=\"sections\">\n");
        for (int i = 0; i < 24; i++) {
            out.format("  <li><a href=\"/section/%d\" data-n=\"%d\">%s</a></li>\n", i, i, words(1));
        }
        html.append("</ul>\n</nav>\n<main>\n");
        while (html.length() < BYTES) {
            section();
        }
        while (tags < TAGS) {
            tag();
        }
        html.append("</main>\n<footer><p>&copy; 2026</p></footer>\n</body>\n</html>\n");
        return html.toString().getBytes(UTF_8);
    }

    private void head() {
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        out.format("<title>%s</title>\n", words(8));
        for (int i = 0; i < 12; i++) {
            out.format("<meta property=\"og:%s\" content=\"%s\">\n", words(1), words(10));
            out.format(
                    "<link rel=\"preload\" href=\"/assets/%08x.css\" as=\"style\">\n",
                    random.nextInt());
        }
        out.format(
                "<script type=\"application/ld+json\">{\"@type\":\"NewsArticle\",\"headline\":\"%s\","
                        + "\"id\":%d}</script>\n",
                words(9), random.nextInt(1 << 20));
        html.append("<style>:root{--ink:#111;--gap:1rem}@media (min-width:40em){.grid>li{flex:1}}");
        html.append("</style>\n</head>\n");
    }

    private void section() {
        out.format("<section id=\"s%d\">\n<h2>%s</h2>\n", random.nextInt(1 << 16), words(3));
        int cards = 3 + random.nextInt(6);
        for (int i = 0; i < cards; i++) {
            card();
        }
        switch (random.nextInt(4)) {
            case 0 -> script();
            case 1 -> out.format("<!-- %s: %d -->\n", words(3), random.nextInt());
            case 2 -> paragraphs();
            default -> picture();
        }
        html.append("</section>\n");
        if (html.length() > (long) BYTES * tags / TAGS) {
            tag();
        }
    }

    private void card() {
        int id = random.nextInt(1 << 20);
        out.format("<article class=\"card card--%d\" data-id=\"%d\">\n", random.nextInt(4), id);
        out.format(
                "  <a class=\"card__link\" href=\"/2026/11/20/%s-%d\">\n",
                words(2).replace(' ', '-'), id);
        out.format("    <h3>%s</h3>\n", words(6 + random.nextInt(6)));
        out.format("    <p>%s.</p>\n  </a>\n", words(15 + random.nextInt(20)));
        out.format(
                "  <time datetime=\"2026-11-20T%02d:%02d\">%d min</time>\n",
                id % 24, id % 60, id % 60);
        html.append("</article>\n");
    }

    private void picture() {
        int id = random.nextInt(1 << 20);
        html.append("<picture>\n");
        for (int width = 320; width <= 1280; width *= 2) {
            out.format(
                    "  <source srcset=\"/img/%d/%d.avif %dw, /img/%d/%d.webp %dw\">\n",
                    id, width, width, id, width, width);
        }
        out.format(
                "  <img src=\"/img/%d/640.jpg\" alt=\"%s\" loading=\"lazy\">\n</picture>\n",
                id, words(5));
    }

    private void script() {
        out.format(
                "<script>(function(w){for(var i=0;i<%d;i++){if(i<3&&w.q){w.q.push({k:'%s',v:i*%d});}}"
                        + "})(window);</script>\n",
                random.nextInt(90), words(1), random.nextInt(9));
    }

    private void paragraphs() {
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            out.format("<p>%s. <em>%s</em> %s.</p>\n", words(60), words(3), words(50));
        }
    }

    /** Writes an ESI tag, or an iframe on pages without tags, if there is one left to place. */
    private void tag() {
        if (tags == TAGS) {
            return;
        }
        int id = random.nextInt(1 << 16);
        tags++;
        if (withEsi) {
            out.format(
                    "<esi:include src=\"/fragment/%s/%d?edition=night&amp;n=%d\"/>\n",
                    words(1), id, tags);
        } else {
            out.format(
                    "<iframe src=\"/fragment/%s/%d?edition=night&amp;n=%d\"></iframe>\n",
                    words(1), id, tags);
        }
    }

    private String words(int count) {
        var text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : " ").append(WORDS.get(random.nextInt(WORDS.size())));
        }
        return text.toString();
    }
}
