package dev.quire.test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks docs/testing.md against the harness. Its Java blocks compile; a Java block followed by a
 * text block fails with that text as its message, on the site of {@link GuideNews}. A line {@code
 * …} replaces the trace. Times differ between runs, and are ignored. With {@code
 * -Dquire.guide=update} the messages are written into the guide instead.
 */
class GuideTest {
    private static final Path GUIDE = Path.of("../../docs/testing.md");
    private static final boolean IS_UPDATING = "update".equals(System.getProperty("quire.guide"));

    private static final Pattern PLACE = Pattern.compile("docs/testing\\.md#([a-z-]+)");
    private static final Pattern LINK = Pattern.compile("\\]\\(#([a-z-]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern JAVA =
            Pattern.compile("(?ms)^```java\n(.*?)^```\n(?:```\n(.*?)^```$)?");
    private static final Pattern TRACE = Pattern.compile("(?s)\n\n.*?\n\nnext: ");

    private static final Pattern REQUESTS = Pattern.compile("( GET .*\n)+ GET .*");
    private static final Pattern PATHS =
            Pattern.compile("/[a-z]+( \\d+ times)?(, /[a-z]+( \\d+ times)?)+");

    private static final String IMPORTS =
            """
            import static dev.quire.test.EsiAssertions.assertThat;
            import static dev.quire.test.User.anonymous;
            import static dev.quire.test.User.user;
            import dev.quire.spring.*;
            import dev.quire.test.*;
            import dev.quire.test.containers.*;
            import dev.quire.test.junit.*;
            import dev.quire.test.spring.*;
            import dev.quire.test.wire.*;
            import jakarta.servlet.http.HttpServletResponse;
            import java.net.URI;
            import java.time.*;
            import java.util.*;
            import org.junit.jupiter.api.Test;
            import org.junit.jupiter.api.extension.RegisterExtension;
            import org.springframework.beans.factory.annotation.Autowired;
            import org.springframework.boot.test.context.*;
            import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
            import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
            import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
            import org.springframework.context.annotation.*;
            import org.springframework.stereotype.Controller;
            import org.springframework.test.web.servlet.MockMvc;
            import org.springframework.web.bind.annotation.*;
            """;

    /** The parameters available to statements. */
    private static final String GIVEN = "EsiSite site, Application application, Faults faults";

    /** A Java block of the guide, and its expected failure message. */
    private record Snippet(int number, String code, String message) {
        boolean isClaim() {
            return !message.isEmpty();
        }

        String type() {
            return "Guide" + number;
        }

        /** The block as a separate source file. */
        String source() {
            var text = "package guide.g" + number + ";\n" + IMPORTS;
            if (code.contains("class ")) {
                return text + code;
            }
            var members =
                    code.startsWith("@")
                            ? code
                            : "public static void run(%s) throws Exception {\n%s}\n"
                                    .formatted(code.contains("var site = ") ? "" : GIVEN, code);
            return text + "public class " + type() + " {\n" + members + "}\n";
        }
    }

    @TempDir Path folder;

    @Test
    void everyPlaceThatIsNamedIsInTheGuide() throws IOException {
        var named = new TreeSet<String>();
        try (var sources = Files.walk(Path.of("src/main/java"))) {
            for (var source : sources.filter(file -> file.toString().endsWith(".java")).toList()) {
                PLACE.matcher(Files.readString(source))
                        .results()
                        .map(found -> found.group(1))
                        .forEach(named::add);
            }
        }
        assertThat(named).isNotEmpty();
        var guide = Files.readString(GUIDE);
        LINK.matcher(guide).results().map(found -> found.group(1)).forEach(named::add);
        var headings = HEADING.matcher(guide).results().map(GuideTest::place).toList();

        assertThat(headings).containsAll(named);
    }

    @Test
    void everyClaimFailsWithTheMessageOfTheGuide() throws Exception {
        var guide = Files.readString(GUIDE);
        var snippets = snippets(guide);
        compile(snippets);

        var said = new LinkedHashMap<String, String>();
        try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, parent())) {
            for (var snippet : snippets) {
                if (snippet.isClaim()) {
                    said.put(snippet.code(), failure(loader, snippet));
                }
            }
        }

        assertThat(said).isNotEmpty();
        if (IS_UPDATING) {
            Files.writeString(GUIDE, updated(guide, said));
            return;
        }
        for (var snippet : snippets) {
            if (snippet.isClaim()) {
                assertThat(
                                timeless(
                                        shortened(
                                                said.getOrDefault(snippet.code(), ""),
                                                snippet.message())))
                        .as(snippet.code())
                        .isEqualTo(timeless(snippet.message().stripTrailing()));
            }
        }
    }

    @Test
    void everyCauseAndRuleHasItsRow() throws IOException {
        var guide = Files.readString(GUIDE).lines().toList();

        for (var cause : LeakCause.values()) {
            assertThat(guide).contains(row(cause, cause.what(), cause.remedy("…")));
        }
        for (var rule : ContractRule.values()) {
            assertThat(guide).contains(row(rule, rule.broken(), rule.remedy()));
        }
    }

    private static String row(Enum<?> name, String what, String fix) {
        return "| `%s` | %s | %s |".formatted(name, what, fix.replace("<", "&lt;"));
    }

    private static ClassLoader parent() {
        return GuideTest.class.getClassLoader();
    }

    private static List<Snippet> snippets(String guide) {
        var snippets = new ArrayList<Snippet>();
        for (var found : JAVA.matcher(guide).results().toList()) {
            var message = found.group(2) == null ? "" : found.group(2);
            snippets.add(new Snippet(snippets.size(), found.group(1), message));
        }
        return snippets;
    }

    private void compile(List<Snippet> snippets) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var said = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, Locale.ROOT, UTF_8)) {
            var sources = new ArrayList<Path>();
            for (var snippet : snippets) {
                // a public class has to be in a file of its name
                var source =
                        folder.resolve("g" + snippet.number()).resolve(snippet.type() + ".java");
                Files.createDirectories(source.getParent());
                Files.writeString(source, snippet.source());
                sources.add(source);
            }
            var options =
                    List.of(
                            "-proc:none",
                            "-d",
                            folder.toString(),
                            "-cp",
                            System.getProperty("java.class.path"));
            var units = files.getJavaFileObjectsFromPaths(sources);
            var isDone = compiler.getTask(said, files, null, options, null, units).call();
            assertThat(isDone).as(said.toString()).isTrue();
        }
    }

    /** The message of its failure, on a new site. */
    private static String failure(ClassLoader loader, Snippet snippet) throws Exception {
        var run =
                loader.loadClass("guide.g" + snippet.number() + "." + snippet.type())
                        .getMethod("run", EsiSite.class, Application.class, Faults.class);
        var application = new GuideNews();
        try (var site = EsiSite.over(application)) {
            run.invoke(null, site, application, Faults.none());
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof AssertionError failure) {
                return String.valueOf(failure.getMessage()).strip();
            }
            throw thrown;
        }
        throw new AssertionError("nothing fails:\n" + snippet.code());
    }

    /** Without the trace, unless {@code shown} has one. */
    private static String shortened(String message, String shown) {
        boolean isWhole = shown.contains("\n\n");
        return isWhole ? message : TRACE.matcher(message).replaceFirst("\n  …\nnext: ");
    }

    /**
     * Without the parts that differ between runs: times, and the order of requests for fragments.
     */
    private static String timeless(String message) {
        var lines =
                message.replaceAll("\\d+-\\d+( ms)?", "0-0$1")
                        .replaceAll("\\d+(\\.\\d+)?ms", "0ms")
                        .replaceAll("\\|[ =.]*\\|", "|=|")
                        .replaceAll("\\d\\d:\\d\\d:\\d\\d", "00:00:00")
                        .replaceAll("Guide\\d+\\.java:\\d+", "Guide.java:0")
                        .replaceAll("ms +stored", "ms stored")
                        .replaceAll(" +", " ");
        lines = REQUESTS.matcher(lines).replaceAll(found -> sorted(found, "\n"));
        return PATHS.matcher(lines).replaceAll(found -> sorted(found, ", "));
    }

    private static String sorted(MatchResult list, String between) {
        var sorted = Stream.of(list.group().split(between, -1)).sorted();
        return Matcher.quoteReplacement(sorted.collect(Collectors.joining(between)));
    }

    private static String updated(String guide, Map<String, String> said) {
        return JAVA.matcher(guide)
                .replaceAll(found -> {
                    var old = found.group(2);
                    var message = said.get(found.group(1));
                    var text =
                            old == null || message == null
                                    ? found.group()
                                    : "```java\n"
                                            + found.group(1)
                                            + "```\n```\n"
                                            + shortened(message, old)
                                            + "\n```";
                    return Matcher.quoteReplacement(text);
                });
    }

    private static String place(MatchResult heading) {
        return heading.group(1)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9 -]", "")
                .replace(' ', '-');
    }
}
