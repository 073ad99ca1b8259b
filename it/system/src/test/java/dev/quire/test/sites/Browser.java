package dev.quire.test.sites;

import dev.quire.test.programs.Chromium;
import dev.quire.test.programs.RunningProgram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A browser that opens the page of the application on Express, which tries a site and reports. */
final class Browser {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    /** A page in the list of the developer tools; Chromium's own parts have other types. */
    private static final Pattern PAGE =
            Pattern.compile("\"type\": \"page\",[^}]*\"ws://[^/]*(/devtools/page/\\w+)\"");

    private static final Pattern DATA = Pattern.compile("\"data\":\\s*\"([^\"]+)\"");

    private final Path chromium;
    private final @Nullable Path screenshots;
    private final Servers servers;

    /**
     * A browser at {@code chromium}.
     *
     * @param screenshots the folder for pictures of its pages
     */
    Browser(Path chromium, @Nullable Path screenshots, Servers servers) {
        this.chromium = chromium;
        this.screenshots = screenshots;
        this.servers = servers;
    }

    /**
     * Returns what the page reports of each step: {@code yes}, or a reason.
     *
     * @param pictures the start of their names
     */
    Map<String, String> report(InetSocketAddress site, Servers.Name name, String pictures)
            throws IOException {
        var id = UUID.randomUUID();
        var report = "%s/report/%s".formatted(servers.url(Servers.Name.EXPRESS), id);
        var page =
                "http://127.0.0.1:%d/browser.html?site=%s&report=%s&secret=%s"
                        .formatted(
                                site.getPort(),
                                name.name().toLowerCase(Locale.ROOT),
                                report,
                                servers.secret());
        var profile = Files.createTempDirectory("browser");
        var browser =
                new ProcessBuilder(
                                Chromium.command(
                                        chromium,
                                        profile,
                                        "--window-size=1100,850",
                                        "--disable-popup-blocking",
                                        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                                        "--autoplay-policy=no-user-gesture-required",
                                        "--remote-debugging-port=0",
                                        page))
                        .redirectErrorStream(true)
                        .redirectOutput(profile.resolve("output").toFile())
                        .start();
        try {
            var steps = new LinkedHashMap<String, String>();
            Client.text(servers.address(Servers.Name.EXPRESS), "/report/" + id, LIMIT)
                    .lines()
                    .map(line -> line.split("=", 2))
                    .forEach(step -> steps.put(step[0], step[1]));
            if (screenshots != null) {
                photograph(profile, Files.createDirectories(screenshots), pictures);
            }
            return steps;
        } finally {
            stop(browser, profile);
        }
    }

    /** Writes pictures of all pages, by the protocol of Chromium's developer tools. */
    private static void photograph(Path profile, Path folder, String name) throws IOException {
        var port = Files.readAllLines(profile.resolve("DevToolsActivePort")).getFirst();
        var tools = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
        int count = 0;
        for (var page : PAGE.matcher(Client.text(tools, "/json/list", LIMIT)).results().toList()) {
            var answer = DATA.matcher(screenshot(tools, page.group(1)));
            if (answer.find()) {
                count++;
                Files.write(
                        folder.resolve("%s-%d.png".formatted(name, count)),
                        Base64.getDecoder().decode(answer.group(1)));
            }
        }
    }

    private static String screenshot(InetSocketAddress tools, String page) throws IOException {
        try {
            return Client.exchange(tools, page, "{\"id\":1,\"method\":\"Page.captureScreenshot\"}");
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("no screenshot", e);
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
