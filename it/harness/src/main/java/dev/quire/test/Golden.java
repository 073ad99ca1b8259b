package dev.quire.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Pages that were reviewed and approved, each stored as a file of its normalized DOM.
 *
 * @param directory of the files
 * @param isUpdating whether the files are written instead of compared
 */
record Golden(Path directory, boolean isUpdating) {
    /** {@code update}: the files are written instead of compared. */
    private static final String PROPERTY = "quire.golden";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_./-]*");

    static Golden ofThisBuild() {
        return new Golden(
                Path.of("src", "test", "resources", "golden"),
                "update".equals(System.getProperty(PROPERTY)));
    }

    /**
     * Compares a page with its file, or writes the file.
     *
     * @throws AssertionError if it differs, or the file is absent
     */
    void verify(String name, Page page, List<String> ignored) {
        try {
            compare(name, page, ignored);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void compare(String name, Page page, List<String> ignored) throws IOException {
        if (!NAME.matcher(name).matches() || name.contains("..")) {
            throw new IllegalArgumentException(
                    "'%s' is not a name for a golden page (expected for example 'front-page')"
                            .formatted(name));
        }
        var file = directory.resolve(name + ".html");
        var seen = NormalDom.of(page.html(), ignored);
        if (isUpdating) {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, NormalDom.text(seen));
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
        var expected = NormalDom.of(Files.readString(file), ignored);
        FirstDifference.of(expected, seen)
                .ifPresent(difference -> {
                    throw new AssertionError(
                            Failures.message(
                                    "%s to match %s".formatted(page.asked().target(), file),
                                    difference.expected(),
                                    difference.found(),
                                    page.trace(),
                                    "if the page is correct, run this test with -D%s=update and review how the file changes; to exclude changing elements: .ignoring(\"selector\") before matchesGolden. docs/testing.md#golden"
                                            .formatted(PROPERTY)));
                });
    }
}
