package dev.quire.test.junit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.AssemblyTrace;
import dev.quire.test.Page;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.MediaType;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.JUnitException;

/**
 * The pages requested by a failing test, added to its failure as a suppressed exception so that
 * every tool shows them. Never thrown.
 */
final class AskedPages extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Keeps the output of a failing loop readable; the file has all pages. */
    private static final int MOST = 8;

    private static final Pattern ODD = Pattern.compile("[^A-Za-z0-9._$-]+");
    private static final Pattern INVOCATION = Pattern.compile("invocation:#(\\d+)]$");

    private AskedPages(String message) {
        super(message, null, false, false);
    }

    /** Writes {@code pages} to the file of {@code test} and names it in the message. */
    static AskedPages written(List<Page> pages, ExtensionContext test) {
        var file = fileOf(test);
        String where;
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, AssemblyTrace.html(pages));
            publish(file, test);
            where = "drawn as a waterfall in " + file;
        } catch (IOException e) {
            where = "not drawn as a waterfall, because %s cannot be written: %s".formatted(file, e);
        }
        int left = Math.max(0, pages.size() - MOST);
        return new AskedPages(
                "%s this test requested:%n%s%n%s"
                        .formatted(
                                left > 0
                                        ? "the last " + MOST + " of the " + pages.size() + " pages"
                                        : pages.size() == 1 ? "the page" : "the pages",
                                pages.stream()
                                        .skip(left)
                                        .map(AskedPages::text)
                                        .collect(Collectors.joining("\n")),
                                where));
    }

    private static String text(Page page) {
        return "    %s %s as %s: %d%n%s"
                .formatted(
                        page.asked().method(),
                        page.asked().target(),
                        page.site().user(),
                        page.status(),
                        page.trace()
                                .text()
                                .lines()
                                .map(line -> "      " + line)
                                .collect(Collectors.joining("\n")))
                .stripTrailing();
    }

    /** Publishes the file for tools that collect test output; other tools find it by its path. */
    private static void publish(Path file, ExtensionContext test) {
        try {
            test.publishFile(
                    file.getFileName().toString(),
                    MediaType.create("text", "html", UTF_8),
                    copy -> Files.copy(file, copy));
        } catch (JUnitException e) {
            test.publishReportEntry("quire.pages", file.toString());
        }
    }

    /** The file of a test; each invocation of a parameterised test has its own number. */
    private static Path fileOf(ExtensionContext test) {
        var method = test.getTestMethod().map(Method::getName).orElse("class");
        var invocation = INVOCATION.matcher(test.getUniqueId());
        var name = invocation.find() ? method + "-" + invocation.group(1) : method;
        return folder(test)
                .resolve(readable(test.getRequiredTestClass().getName()))
                .resolve(readable(name) + ".html");
    }

    private static Path folder(ExtensionContext test) {
        return test.getConfigurationParameter("quire.reports")
                .map(Path::of)
                .orElseGet(() ->
                        Files.exists(Path.of("pom.xml")) || !Files.isDirectory(Path.of("build"))
                                ? Path.of("target", "quire")
                                : Path.of("build", "quire"));
    }

    private static String readable(String name) {
        return ODD.matcher(name).replaceAll("_");
    }
}
