package dev.quire.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jsoup.nodes.Document;

/**
 * Pages that somebody has looked at and found good, each a file of its DOM in its normal form.
 *
 * @param directory where the files lie
 * @param isUpdating whether they are written instead of held against what is seen
 */
record Golden(Path directory, boolean isUpdating) {
    /** {@code update}: files are written instead. */
    private static final String PROPERTY = "quire.golden";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_./-]*");

    /** As the build says it. */
    static Golden ofThisBuild() {
        return new Golden(
                Path.of("src", "test", "resources", "golden"),
                "update".equals(System.getProperty(PROPERTY)));
    }

    /**
     * Holds a page against the file, or writes it.
     *
     * @throws AssertionError if it differs, or there is no such file
     */
    void verify(String name, Page page, List<String> ignored) {
        if (!NAME.matcher(name).matches() || name.contains("..")) {
            throw new IllegalArgumentException(
                    "'%s' is not a name for a golden page (expected for example 'front-page')"
                            .formatted(name));
        }
        var file = directory.resolve(name + ".html");
        var seen = NormalDom.of(page.html(), ignored);
        if (isUpdating) {
            write(file, seen);
            return;
        }
        if (!Files.exists(file)) {
            throw new AssertionError(
                    Failures.message(
                            "%s to match %s".formatted(page.asked().target(), file),
                            "a file " + file.toAbsolutePath(),
                            "none",
                            null,
                            "check the page; if it is correct, run this test once with -D%s=update to write the file, and commit it. docs/testing.md#golden"
                                    .formatted(PROPERTY)));
        }
        var expected = NormalDom.of(read(file), ignored);
        FirstDifference.of(expected, seen)
                .ifPresent(difference -> {
                    throw new AssertionError(
                            Failures.message(
                                    "%s to match %s".formatted(page.asked().target(), file),
                                    difference.expected(),
                                    difference.seen()
                                            + "\n"
                                            + difference.what()
                                            + " of "
                                            + difference.path(),
                                    page.trace(),
                                    "if the page is correct, run this test with -D%s=update and review how the file changes; to exclude changing elements: .ignoring(\"selector\") before matchesGolden. docs/testing.md#golden"
                                            .formatted(PROPERTY)));
                });
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, Document seen) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, NormalDom.text(seen));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
