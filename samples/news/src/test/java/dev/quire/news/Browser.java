package dev.quire.news;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/** Chromium without a window, which displays a page. Not thread-safe. */
final class Browser implements AutoCloseable {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static final long START_SECONDS = 120;
    private static final long END_SECONDS = 10;
    private static final Pattern LISTENING = Pattern.compile("DevTools listening on ws://([^/]+)/");
    private static final Pattern TAB = Pattern.compile("\"webSocketDebuggerUrl\":\\s*\"([^\"]+)\"");

    /** The document that a navigation loads. */
    private static final Pattern LOADER = Pattern.compile("\"loaderId\":\"([^\"]+)\"");

    private static final Pattern NUMBER = Pattern.compile("\"value\":(-?\\d+)");
    private static final Pattern STRING = Pattern.compile("\"value\":\"([^\"]*)\"");
    private static final Pattern PICTURE = Pattern.compile("\"data\":\"([^\"]+)\"");

    private final Process process;
    private final DevTools tools;

    /** The screen that a page is displayed on. */
    enum Screen {
        DESKTOP(1280, false),
        /** Pages have the width that they ask for, as in the browser of a phone. */
        PHONE(390, true);

        static final int HEIGHT = 1120;

        private final int width;
        private final boolean isMobile;

        Screen(int width, boolean isMobile) {
            this.width = width;
            this.isMobile = isMobile;
        }

        int width() {
            return width;
        }
    }

    private Browser(Process process) throws IOException, InterruptedException {
        this.process = process;
        this.tools = new DevTools(CLIENT, newTab(address(process)));
    }

    /** Returns the program; skips the test if there is no browser. */
    static String program() {
        var chromium = System.getenv("CHROMIUM");
        assumeTrue(chromium != null && !chromium.isEmpty(), "no browser (bin/test looks for one)");
        return Objects.requireNonNull(chromium);
    }

    /**
     * Displays {@code url}; returns when the page and its files are loaded.
     *
     * @param folder of the browser's files
     */
    static Browser open(String program, Path folder, String url, Screen screen)
            throws IOException, InterruptedException {
        var process = start(program, folder);
        boolean isOpen = false;
        try {
            var browser = new Browser(process);
            browser.load(url, screen);
            isOpen = true;
            return browser;
        } finally {
            if (!isOpen) {
                stop(process);
            }
        }
    }

    private static Process start(String program, Path folder) throws IOException {
        return new ProcessBuilder(
                        program,
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--hide-scrollbars",
                        "--user-data-dir=" + folder,
                        "--remote-debugging-port=0",
                        "about:blank")
                .redirectOutput(Redirect.DISCARD)
                .start();
    }

    /** Returns the host and port of its developer tools, which it prints. */
    private static String address(Process process) {
        var address = new CompletableFuture<String>();
        Thread.ofPlatform().daemon().start(() -> read(process, address));
        return address.orTimeout(START_SECONDS, TimeUnit.SECONDS).join();
    }

    /** Reads its messages until it ends. */
    private static void read(Process process, CompletableFuture<String> address) {
        var messages = new ArrayList<String>();
        try (var lines = process.errorReader()) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                messages.add(line);
                if (LISTENING.matcher(line).find()) {
                    address.complete(found(LISTENING, line));
                }
            }
        } catch (IOException e) {
            messages.add(e.toString());
        }
        address.completeExceptionally(new AssertionError("the browser has ended: " + messages));
    }

    /** Returns the address of the developer tools of a new tab. */
    private static URI newTab(String address) throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(URI.create("http://" + address + "/json/new?about:blank"))
                        .PUT(BodyPublishers.noBody())
                        .timeout(Duration.ofSeconds(START_SECONDS))
                        .build();
        return URI.create(found(TAB, CLIENT.send(request, BodyHandlers.ofString()).body()));
    }

    private void load(String url, Screen screen) throws InterruptedException {
        tools.call("Log.enable", "");
        tools.call("Runtime.enable", "");
        tools.call("Page.enable", "");
        tools.call("Page.setLifecycleEventsEnabled", "\"enabled\":true");
        tools.call(
                "Emulation.setDeviceMetricsOverride",
                "\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":%b"
                        .formatted(screen.width, Screen.HEIGHT, screen.isMobile));
        var answer = tools.call("Page.navigate", "\"url\":\"%s\"".formatted(url));
        if (answer.contains("\"errorText\"")) {
            throw new AssertionError(url + ": " + answer);
        }
        var loader = "\"loaderId\":\"%s\"".formatted(found(LOADER, answer));
        tools.await(message -> message.contains(loader) && message.contains("\"name\":\"load\""));
    }

    /** Returns the present elements of the page as HTML. */
    String dom() throws InterruptedException {
        var answer = evaluate("encodeURIComponent(document.documentElement.outerHTML)");
        return URLDecoder.decode(found(STRING, answer), UTF_8);
    }

    /**
     * Returns the number that an expression of JavaScript has in the page.
     *
     * @param expression an integer, in one line without double quotes
     */
    int number(String expression) throws InterruptedException {
        return Integer.parseInt(found(NUMBER, evaluate(expression)));
    }

    private String evaluate(String expression) throws InterruptedException {
        return tools.call("Runtime.evaluate", "\"expression\":\"%s\"".formatted(expression));
    }

    /**
     * Returns the errors in the console: of scripts, of the page's policy, and of files that could
     * not be loaded.
     */
    List<String> errors() throws InterruptedException {
        // The events before its answer arrive before it.
        evaluate("0");
        return tools.messages().stream().filter(Browser::isError).toList();
    }

    private static boolean isError(String message) {
        return message.contains("\"method\":\"Runtime.exceptionThrown\"")
                || (message.contains("\"method\":\"Log.entryAdded\"")
                        && message.contains("\"level\":\"error\""))
                || (message.contains("\"method\":\"Runtime.consoleAPICalled\"")
                        && message.contains("\"params\":{\"type\":\"error\""));
    }

    /** Returns a screenshot, and writes it to the file {@code name} in the folder of pictures. */
    BufferedImage screenshot(String name) throws IOException, InterruptedException {
        var answer = tools.call("Page.captureScreenshot", "");
        var picture = Base64.getDecoder().decode(found(PICTURE, answer));
        var folder =
                Path.of(
                        System.getProperty(
                                "screenshots", "target" + File.separator + "screenshots"));
        Files.write(Files.createDirectories(folder).resolve(name), picture);
        return ImageIO.read(new ByteArrayInputStream(picture));
    }

    /** Returns how many pixels have the colour {@code rgb}. */
    static long pixels(BufferedImage image, int rgb) {
        return IntStream.range(0, image.getWidth() * image.getHeight())
                .map(i -> image.getRGB(i % image.getWidth(), i / image.getWidth()))
                .filter(pixel -> (pixel & 0xffffff) == rgb)
                .count();
    }

    private static String found(Pattern pattern, String text) {
        var found = pattern.matcher(text);
        if (!found.find()) {
            throw new AssertionError("expected %s, found: %s".formatted(pattern, text));
        }
        return Objects.requireNonNull(found.group(1));
    }

    @Override
    public void close() {
        tools.close();
        stop(process);
    }

    /** Ends it and its children, which write to its folder. */
    private static void stop(Process process) {
        var all = Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
        process.destroy();
        awaitEnd(all);
        all.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(all);
    }

    private static void awaitEnd(List<ProcessHandle> all) {
        CompletableFuture.allOf(
                        all.stream()
                                .map(ProcessHandle::onExit)
                                .toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, END_SECONDS, TimeUnit.SECONDS)
                .join();
    }
}
