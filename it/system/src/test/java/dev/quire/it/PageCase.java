package dev.quire.it;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page as a folder: {@code page.esi}, further {@code .esi} documents and fragments, and the
 * expected result in {@code expected}. If Varnish differs, {@code varnish} contains its result and
 * {@code why} the reason; a {@code why} alone means that Varnish gives no complete response.
 */
record PageCase(String name, Path folder) {

    private static final String EXPECTED = "expected";
    private static final String VARNISH = "varnish";
    private static final String WHY = "why";
    private static final List<String> NOT_SERVED = List.of(EXPECTED, VARNISH, WHY);

    /** Returns all cases by name. */
    static List<PageCase> all() throws IOException {
        try (var folders = Files.list(root())) {
            return folders.sorted()
                    .map(folder -> new PageCase(folder.getFileName().toString(), folder))
                    .toList();
        }
    }

    /** Has {@code origin} serve its files in pieces of that size; returns the page's target. */
    String serve(Origin origin, int pieceBytes) {
        var prefix = "/" + name + "/";
        try (var files = Files.walk(folder)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var path = folder.relativize(file).toString();
                if (!NOT_SERVED.contains(path)) {
                    origin.on(prefix + path, answer(file).through(SlowLine.dripping(pieceBytes)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + folder, e);
        }
        return prefix + "page.esi";
    }

    byte[] expected() {
        return Objects.requireNonNull(bytes(EXPECTED), () -> name + ": no file 'expected'");
    }

    /** Whether Varnish gives another or no complete response. */
    boolean differsInVarnish() {
        return Files.exists(folder.resolve(WHY));
    }

    /** Returns the body from Varnish, or empty if its response is incomplete. */
    Optional<byte[]> expectedOfVarnish() {
        return differsInVarnish() ? Optional.ofNullable(bytes(VARNISH)) : Optional.of(expected());
    }

    private static Answer answer(Path file) throws IOException {
        var answer =
                Answer.status(200)
                        .field("Content-Type", "text/html")
                        .body(Files.readAllBytes(file))
                        .chunked();
        return file.toString().endsWith(".esi")
                ? answer.field("Surrogate-Control", "no-store, " + Answers.ESI)
                : answer.field("Surrogate-Control", "no-store");
    }

    private byte @Nullable [] bytes(String file) {
        try {
            var path = folder.resolve(file);
            return Files.exists(path) ? Files.readAllBytes(path) : null;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + " of " + name, e);
        }
    }

    private static Path root() {
        URL pages = Objects.requireNonNull(PageCase.class.getResource("/pages"));
        try {
            return Path.of(pages.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(pages + " is not a URI", e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
