package dev.quire.proxy.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.config.LogConfig;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The formats of the access log, read as others read them. */
class LineFormatTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The combined format; a quote ends a string unless it is escaped. */
    private static final Pattern COMBINED =
            Pattern.compile(
                    "(\\S+) - - \\[([^]]+)] \"((?:[^\"\\\\]|\\\\.)*)\" (\\d{3}) (\\d+)"
                            + " \"((?:[^\"\\\\]|\\\\.)*)\" \"((?:[^\"\\\\]|\\\\.)*)\"\n");

    @Property
    void anyBytesAreOneLineOfJsonThatSaysThem(
            @ForAll @Size(max = 60) byte[] target,
            @ForAll @Size(max = 60) byte[] agent,
            @ForAll @Size(max = 60) byte[] referrer) {
        var line = json(LogConfig.Query.KEEP, received(target, agent, referrer));

        assertThat(line.get("target").stringValue()).isEqualTo(latin(target));
        assertThat(line.get("ua").stringValue()).isEqualTo(latin(agent));
        assertThat(line.get("referer").stringValue()).isEqualTo(latin(referrer));
    }

    @Property
    void anyTextIsOneLineOfJson(@ForAll String target, @ForAll String agent) {
        var line = json(LogConfig.Query.KEEP, request(target, agent, null));

        assertThat(line.get("target").stringValue()).isEqualTo(target);
        assertThat(line.get("ua").stringValue()).isEqualTo(agent);
    }

    @Property
    void anyBytesAreOneCombinedLineThatSaysThem(
            @ForAll @Size(max = 60) byte[] target,
            @ForAll @Size(max = 60) byte[] agent,
            @ForAll @Size(max = 60) byte[] referrer) {
        var line = combined(LogConfig.Query.KEEP, received(target, agent, referrer));

        var read = COMBINED.matcher(line);
        assertThat(read.matches()).as(line).isTrue();
        assertThat(unescaped(read.group(3))).isEqualTo("GET " + latin(target) + " HTTP/1.1");
        assertThat(unescaped(read.group(6))).isEqualTo(latin(referrer));
        assertThat(unescaped(read.group(7))).isEqualTo(latin(agent));
    }

    @Test
    void combinedIsTheFormatOfApache() {
        var line = combined(LogConfig.Query.KEEP, request("/a?b=\"c\"", "x\\y\r\n", null));

        assertThat(line)
                .isEqualTo(
                        "2001:db8::1 - - [02/Jan/2026:03:04:05 +0000] \"GET /a?b=\\\"c\\\" HTTP/1.1\""
                                + " 200 1234 \"-\" \"x\\\\y\\x0d\\x0a\"\n");
        assertThat(
                        ZonedDateTime.parse(
                                "02/Jan/2026:03:04:05 +0000",
                                DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT)))
                .isEqualTo("2026-01-02T03:04:05Z");
    }

    @Test
    void anUnreadableRequestIsADashInCombined() {
        assertThat(combined(LogConfig.Query.KEEP, AccessEntry.Request.NONE))
                .contains("] \"-\" 200 1234 \"-\" \"-\"");
    }

    @Test
    void addressesAreInTheirShortForm() {
        assertThat(json(LogConfig.Query.KEEP, request("/", "x", null)).get("client").stringValue())
                .isEqualTo("2001:db8::1");
    }

    @Test
    void queriesAreDroppedEverywhereIfConfigured() {
        var request = request("/a?secret=1", "x", "http://b/?secret=2");

        var json = json(LogConfig.Query.DROP, request).toString();

        assertThat(json)
                .contains("\"/a\"", "\"http://h/a\"", "\"http://b/\"")
                .doesNotContain("secret");
        assertThat(combined(LogConfig.Query.DROP, request))
                .contains("GET /a HTTP/1.1")
                .doesNotContain("secret");
        assertThat(LoggedUrls.WITHOUT_QUERY.text("http://a/b?secret=1 responded with status 500"))
                .isEqualTo("http://a/b responded with status 500");
    }

    private static AccessEntry.Request received(byte[] target, byte[] agent, byte[] referrer) {
        return request(latin(target), latin(agent), latin(referrer));
    }

    private static AccessEntry.Request request(
            String target, String agent, @Nullable String referrer) {
        return new AccessEntry.Request("GET", "http", "h", target, "HTTP/1.1", agent, referrer);
    }

    private static JsonNode json(LogConfig.Query query, AccessEntry.Request request) {
        return JSON.readTree(line(LogConfig.Format.JSON, query, request));
    }

    private static String combined(LogConfig.Query query, AccessEntry.Request request) {
        return line(LogConfig.Format.COMBINED, query, request);
    }

    /** Formats it and checks that it is one line of visible ASCII. */
    private static String line(
            LogConfig.Format format, LogConfig.Query query, AccessEntry.Request request) {
        var config =
                new LogConfig(
                        new LogConfig.Stderr(),
                        format,
                        query,
                        LogConfig.RequestIds.LOG,
                        LogConfig.Fragments.ALL,
                        Duration.ZERO);
        var line =
                new String(
                        LineFormat.of(config).of(Entries.entry("2001:db8:0:0:0:0:0:1", request)),
                        StandardCharsets.ISO_8859_1);
        assertThat(line).matches("[ -~]+\n");
        return line;
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String unescaped(String text) {
        var plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '\\') {
                plain.append(c);
            } else if (text.charAt(i + 1) == 'x') {
                plain.append((char) Integer.parseInt(text.substring(i + 2, i + 4), 16));
                i += 3;
            } else {
                plain.append(text.charAt(++i));
            }
        }
        return plain.toString();
    }
}
