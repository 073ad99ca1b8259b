package dev.quire.test.sites;

import dev.quire.test.programs.RunningProgram;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** A browser that opens the page of the application on Express, which tries a site and reports. */
final class Browser {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private Browser() {}

    /** Returns what the page reports of each step: {@code yes}, or a reason. */
    static Map<String, String> report(
            Path chromium, InetSocketAddress site, Servers.Name name, Servers servers)
            throws IOException {
        var id = UUID.randomUUID();
        var report = "%s/report/%s".formatted(servers.url(Servers.Name.EXPRESS), id);
        var page =
                "http://127.0.0.1:%d/browser.html?site=%s&report=%s"
                        .formatted(site.getPort(), name.name().toLowerCase(Locale.ROOT), report);
        var profile = Files.createTempDirectory("browser");
        var browser =
                new ProcessBuilder(
                                chromium.toString(),
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--autoplay-policy=no-user-gesture-required",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + profile,
                                page)
                        .redirectErrorStream(true)
                        .redirectOutput(profile.resolve("output").toFile())
                        .start();
        try {
            var steps = new LinkedHashMap<String, String>();
            Client.text(servers.address(Servers.Name.EXPRESS), "/report/" + id, LIMIT)
                    .lines()
                    .map(line -> line.split("=", 2))
                    .forEach(step -> steps.put(step[0], step[1]));
            return steps;
        } finally {
            stop(browser, profile);
        }
    }

    private static void stop(Process browser, Path profile) {
        var children = browser.descendants().toList();
        browser.destroy();
        try {
            if (!browser.waitFor(10, TimeUnit.SECONDS)) {
                browser.destroyForcibly();
            }
            for (var child : children) {
                child.onExit().get(10, TimeUnit.SECONDS);
            }
            RunningProgram.delete(profile);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            children.forEach(ProcessHandle::destroyForcibly);
            throw new IllegalStateException("the browser did not exit", e);
        }
    }
}
