package dev.quire.it;

import static dev.quire.it.Answers.ESI;
import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static dev.quire.it.Answers.privately;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.StoredEntry;
import dev.quire.proxy.redis.RedisServer;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Private content is never stored: neither in memory, where a walk covers every entry in all its
 * stored forms, nor in files of the disk tier, nor in values of the shared one. The public content
 * is found in all of them.
 */
class SecretsIT {
    private static final String FRESH = "max-age=600";
    private static final String COMPRESSIBLE =
            "public and long enough to be compressed ".repeat(20);

    private final TestClock clock = TestClock.handSet();
    private final Origin origin = Origin.start(clock);
    private final RedisServer redis = RedisServer.redis();
    @TempDir private Path directory;
    private RunningProxy proxy;
    private final List<String> planted = new CopyOnWriteArrayList<>();
    private final List<String> markers = new CopyOnWriteArrayList<>();

    @BeforeEach
    void start() {
        proxy =
                RunningProxy.inFrontOf(origin)
                        .clock(clock)
                        .with("disk", "{ path: \"%s\", size: 64MiB }".formatted(directory))
                        .with(
                                "shared",
                                "{ servers: [\"127.0.0.1:%d\"], min-lifetime: 0s }"
                                        .formatted(redis.port()))
                        .with("fleet", "{ name: secrets, node: one }")
                        .start();
    }

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
        redis.close();
    }

    @Test
    void walkOverAllThatIsStoredFindsNoneOfTheSecrets() throws Exception {
        privateAnswers();
        cookiesThatAreSet();
        credentials();
        personalPartsOfPublicPages();
        textOfTheRequest();
        answersThatFail();
        formsOfPublicThings();

        var stored = proxy.stored();

        var found = planted.stream().filter(secret -> isIn(stored, secret)).toList();
        Figure.print(
                "secrets",
                "secrets found of %d planted, in a walk over %d entries"
                        .formatted(planted.size(), stored.size()),
                found.size(),
                0);
        assertThat(found).isEmpty();
        assertThat(markers)
                .as("public content, as a proof that the walk covers every form")
                .isNotEmpty()
                .filteredOn(marker -> !isIn(stored, marker))
                .isEmpty();
        assertThat(stored)
                .as("compressed content, as a proof that the walk covers it")
                .anyMatch(entry -> entry.forms().contains(COMPRESSIBLE));
        proxy.close();
        assertPublicOnly("files of the disk tier", texts(files()));
        assertPublicOnly("values of the shared tier", texts(redis.values()));
    }

    private void assertPublicOnly(String where, List<String> texts) {
        assertThat(planted)
                .as(where)
                .noneMatch(secret -> texts.stream().anyMatch(text -> text.contains(secret)));
        assertThat(markers)
                .as("public content in " + where)
                // The lower tiers have no derived forms.
                .filteredOn(marker -> !marker.contains("\\"))
                .filteredOn(marker -> texts.stream().noneMatch(text -> text.contains(marker)))
                .isEmpty();
    }

    private List<byte[]> files() throws IOException {
        var files = new ArrayList<byte[]>();
        try (var all = Files.walk(directory)) {
            for (var file : all.filter(Files::isRegularFile).toList()) {
                files.add(Files.readAllBytes(file));
            }
        }
        return files;
    }

    /** Returns the texts in {@code all}, and those that are compressed there. */
    private static List<String> texts(List<byte[]> all) {
        var texts = new ArrayList<String>();
        for (var bytes : all) {
            texts.add(new String(bytes, ISO_8859_1));
            for (int at = 0; at < bytes.length - 2; at++) {
                if (bytes[at] == 0x1f && bytes[at + 1] == (byte) 0x8b && bytes[at + 2] == 8) {
                    texts.add(unzipped(bytes, at));
                }
            }
        }
        return texts;
    }

    /** Decompresses {@code bytes} from {@code at} on, as far as possible. */
    private static String unzipped(byte[] bytes, int at) {
        var text = new StringBuilder();
        try (var gzip =
                new GZIPInputStream(new ByteArrayInputStream(bytes, at, bytes.length - at))) {
            for (int next = gzip.read(); next >= 0; next = gzip.read()) {
                text.append((char) next);
            }
        } catch (IOException end) {
            // Other bytes follow.
        }
        return text.toString();
    }

    private void privateAnswers() {
        origin.on("/private", privately(secret("body")));
        origin.on("/no-store", html(secret("body")).field("Cache-Control", "no-store"));
        origin.on(
                "/surrogate",
                html(secret("body"))
                        .field("Cache-Control", FRESH)
                        .field("Surrogate-Control", "no-store"));
        origin.on("/vary", html(secret("body")).field("Cache-Control", FRESH).field("Vary", "*"));
        origin.on(
                "/zipped",
                Answer.status(200)
                        .field("Content-Type", "text/html")
                        .field("Content-Encoding", "gzip")
                        .field("Cache-Control", "private, " + FRESH)
                        .body(gzip(secret("body"))));
        origin.on(
                "/hop",
                html(marker("body"))
                        .field("Cache-Control", FRESH)
                        .field("Connection", "X-Hop")
                        .field("X-Hop", secret("field"))
                        .field("Proxy-Authentication-Info", secret("field")));
        askTwice("/private", "/no-store", "/surrogate", "/vary", "/zipped", "/hop");
    }

    private void cookiesThatAreSet() {
        origin.on(
                "/cookie",
                html(secret("body"))
                        .field("Cache-Control", "public, s-maxage=600")
                        .field("Set-Cookie", "id=" + secret("cookie")));
        origin.on("/page-cookie", page(include("/part-cookie") + marker("page")));
        origin.on(
                "/part-cookie",
                fragment(secret("part")).field("Set-Cookie", "id=" + secret("cookie")));
        askTwice("/cookie", "/page-cookie");

        // A 304 with a cookie must not add the cookie to the stored response.
        origin.on(
                "/validated",
                html("old").field("Cache-Control", "max-age=5").field("ETag", "\"1\""),
                Answer.status(304)
                        .field("Cache-Control", FRESH)
                        .field("ETag", "\"1\"")
                        .field("Set-Cookie", "id=" + secret("cookie")),
                html("anew").field("Cache-Control", FRESH));
        proxy.get("/validated");
        clock.advance(Duration.ofSeconds(30));
        askTwice("/validated");
    }

    private void credentials() {
        var token = secret("token");
        var cookie = secret("cookie");
        origin.on("/account", this::echo);
        origin.on("/whoever", html(marker("body")).field("Cache-Control", FRESH));
        for (int i = 0; i < 2; i++) {
            proxy.get("/account", "Authorization", "Bearer " + token);
            proxy.get("/whoever", "Authorization", "Bearer " + token, "Cookie", "id=" + cookie);
        }
        // Without credentials the same response is storable, and is stored.
        proxy.get("/whoever");
        origin.on("/form", request -> html(request.body().text()).field("Cache-Control", FRESH));
        try (var client = proxy.connect()) {
            client.request("POST", "/form", secret("upload").getBytes(UTF_8)).response();
        }
    }

    /** A response only for requests with credentials: neither public nor with surrogate control. */
    private Answer echo(ReceivedRequest request) {
        return html("for " + request.field("Authorization") + secret("body"))
                .field("Cache-Control", FRESH);
    }

    private void personalPartsOfPublicPages() {
        origin.on("/front", page(COMPRESSIBLE + include("/greeting") + include("/news")));
        origin.on(
                "/greeting",
                request -> privately("Hello " + request.field("Cookie") + secret("greeting")));
        origin.on("/news", fragment(marker("news")));
        origin.on("/outer", page(marker("outer") + include("/inner")));
        origin.on(
                "/inner",
                request ->
                        html(secret("inner") + include("/greeting"))
                                .field("Cache-Control", "private")
                                .field("Surrogate-Control", ESI + ", no-store"));
        for (var reader : List.of(secret("reader"), secret("reader"))) {
            proxy.get("/front", "Cookie", "user=" + reader);
            proxy.get("/front", "Cookie", "user=" + reader, "Accept-Encoding", "gzip");
            proxy.get("/outer", "Cookie", "user=" + reader, "Accept-Encoding", "gzip");
        }
    }

    private void textOfTheRequest() {
        origin.on(
                "/said",
                page(
                        marker("said")
                                + "<esi:vars>$(HTTP_COOKIE{name}) $(HTTP_USER_AGENT)"
                                + " $(HTTP_REFERER)</esi:vars>"
                                + "<esi:assign name=\"who\" value=\"$(HTTP_COOKIE{name})\"/>"
                                + "<esi:try><esi:attempt><esi:vars>$(who)</esi:vars>"
                                + include("/news")
                                + "</esi:attempt><esi:except/></esi:try>"));
        for (int i = 0; i < 2; i++) {
            var name = secret("name");
            var agent = secret("agent");
            var referer = secret("referer");
            var said =
                    proxy.get(
                            "/said",
                            "Cookie",
                            "name=" + name,
                            "User-Agent",
                            agent,
                            "Referer",
                            "http://" + referer + "/");
            assertThat(said.text()).contains(name, agent, referer);
        }
    }

    private void answersThatFail() {
        origin.on(
                "/broken",
                html(secret("cut") + "x".repeat(1000)).field("Cache-Control", FRESH).cutAfter(900));
        origin.on(
                "/error",
                Answer.status(500).field("Content-Type", "text/html").body(secret("trace")));
        origin.on(
                "/part",
                Answer.status(206)
                        .field("Content-Type", "text/html")
                        .field("Cache-Control", FRESH)
                        .field("Content-Range", "bytes 0-9/4711")
                        .body(secret("part")));
        try (var client = proxy.connect()) {
            if (!client.request("GET", "/broken").awaitEnded()) {
                client.begin().awaitCut();
            }
        }
        askTwice("/error", "/part");
    }

    private void formsOfPublicThings() {
        origin.on(
                "/forms",
                page(
                        "<esi:include src=\"/library\" select=\"#chosen\"/>"
                                + "<esi:include src=\"/quoted\" escape=\"json\"/>"));
        origin.on("/library", fragment("<p>left</p><p id=\"chosen\">" + marker("chosen") + "</p>"));
        // Only the escaped form writes the quotation mark with a backslash.
        markers.add("say \\\"" + "quoted");
        origin.on("/quoted", fragment("say \"quoted\""));
        origin.on(
                "/coded",
                Answer.status(200)
                        .field("Content-Type", "text/css")
                        .field("Content-Encoding", "gzip")
                        .field("Cache-Control", FRESH)
                        .body(gzip(marker("coded"))));
        origin.on(
                "/head", html("").field("Cache-Control", FRESH).field("X-Marker", marker("field")));
        askTwice("/forms", "/coded", "/head");
    }

    /** Requests each target with and without gzip. */
    private void askTwice(String... targets) {
        for (var target : targets) {
            proxy.get(target);
            proxy.get(target, "Accept-Encoding", "gzip");
        }
    }

    private String secret(String of) {
        return remembered("secret", of, planted);
    }

    private String marker(String of) {
        return remembered("public", of, markers);
    }

    private static String remembered(String kind, String of, List<String> all) {
        var word = kind + "-" + of + "-" + all.size() + "-word";
        all.add(word);
        return word;
    }

    private static boolean isIn(List<StoredEntry> stored, String word) {
        return stored.stream().anyMatch(entry -> entry.contains(word));
    }

    private static Answer html(String text) {
        return Answer.html(text);
    }

    private static byte[] gzip(String text) {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot zip", e);
        }
        return bytes.toByteArray();
    }
}
