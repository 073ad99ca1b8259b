package dev.quire.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class GuideTest {
    private static final Pattern PLACE = Pattern.compile("docs/testing\\.md#([a-z-]+)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    @Test
    void everyPlaceThatMessagesNameIsInTheGuide() throws IOException {
        var named = new TreeSet<String>();
        try (var sources = Files.walk(Path.of("src/main/java"))) {
            for (var source : sources.filter(file -> file.toString().endsWith(".java")).toList()) {
                PLACE.matcher(Files.readString(source))
                        .results()
                        .map(found -> found.group(1))
                        .forEach(named::add);
            }
        }
        var headings =
                HEADING.matcher(Files.readString(Path.of("../docs/testing.md")))
                        .results()
                        .map(GuideTest::place)
                        .toList();

        assertThat(named).isNotEmpty();
        assertThat(headings).containsAll(named);
    }

    private static String place(MatchResult heading) {
        return heading.group(1)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9 -]", "")
                .replace(' ', '-');
    }
}
