package dev.quire.test.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A browser without a window. */
public final class Chromium {
    private static final long PATIENCE_SECONDS = 120;

    private Chromium() {}

    /**
     * A page that was loaded.
     *
     * @param dom its elements as HTML
     * @param console the messages in the browser's console, with errors of policies
     */
    public record Visit(String dom, List<String> console) {}

    /**
     * Returns the command that starts a browser.
     *
     * @param profile a folder of its own
     */
    public static List<String> command(Path chromium, Path profile, String... more) {
        var command =
                new ArrayList<>(
                        List.of(
                                chromium.toString(),
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--user-data-dir=" + profile));
        command.addAll(List.of(more));
        return command;
    }

    /**
     * Loads {@code url} and writes a screenshot to {@code picture}.
     *
     * @param folder of the browser's files
     */
    public static Visit open(Path chromium, Path folder, String url, Path picture)
            throws IOException, InterruptedException {
        var dom = folder.resolve("dom.html");
        var messages = folder.resolve("messages");
        var browser =
                new ProcessBuilder(
                                command(
                                        chromium,
                                        folder.resolve("profile"),
                                        "--enable-logging=stderr",
                                        "--hide-scrollbars",
                                        "--window-size=800,600",
                                        "--screenshot=" + picture,
                                        "--dump-dom",
                                        url))
                        .redirectOutput(dom.toFile())
                        .redirectError(messages.toFile())
                        .start();
        if (!browser.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            browser.destroyForcibly();
            throw new AssertionError("the browser did not exit in time");
        }
        if (browser.exitValue() != 0) {
            throw new AssertionError("the browser failed: " + Files.readString(messages));
        }
        try (var lines = Files.lines(messages)) {
            return new Visit(
                    Files.readString(dom),
                    lines.filter(line -> line.contains(":CONSOLE")).toList());
        }
    }
}
