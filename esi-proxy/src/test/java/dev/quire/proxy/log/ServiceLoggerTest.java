package dev.quire.proxy.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;

class ServiceLoggerTest {
    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05.600900Z");

    private final ServiceLogger log = new ServiceLogger("io.netty.util.Recycler", Level.INFO);

    @Test
    void aLineHasTimeLevelEventAndKeysWithValues() {
        var line =
                text(
                        "circuit opened",
                        new KeyValuePair("event", "circuit-opened"),
                        new KeyValuePair("origin", "app"),
                        new KeyValuePair("why", "two words"));

        assertThat(line)
                .isEqualTo(
                        "2026-01-02T03:04:05.600Z WARN circuit-opened origin=app why=\"two words\""
                                + " message=\"circuit opened\"\n");
    }

    @Test
    void messageOfALibraryNamesTheLibrary() {
        assertThat(text("odd")).contains(" WARN library-netty message=\"odd\"");
    }

    @Test
    void stackTraceIsIndentedBelowItsLine() {
        var fault = new IllegalStateException("a\nforged");

        var lines =
                log.text(TIME, Level.ERROR, List.of(), "internal error", fault).lines().toList();

        assertThat(lines.getFirst()).startsWith("2026-").contains(" ERROR ");
        assertThat(lines.subList(1, lines.size()))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).startsWith("\t"));
    }

    @Test
    void linesBelowTheLevelAreNotWritten() {
        assertThat(log.isDebugEnabled()).isFalse();
        assertThat(log.isInfoEnabled()).isTrue();
    }

    @Test
    void warningsOfTheClientOfTheStoreAreNotWritten() {
        var all = new ServiceLog();

        assertThat(all.getLogger("io.lettuce.core.RedisClient").isWarnEnabled()).isFalse();
        assertThat(all.getLogger("io.lettuce.core.RedisClient").isErrorEnabled()).isTrue();
        assertThat(all.getLogger("io.netty.util.Recycler").isWarnEnabled()).isTrue();
    }

    @Property
    void nothingQuotedEndsTheLine(@ForAll String message, @ForAll String value) {
        var line = text(message, new KeyValuePair("key", value));

        assertThat(line.chars().filter(c -> Character.isISOControl(c) || c == 0x2028))
                .containsExactly((int) '\n');
        assertThat(line).endsWith("\"\n");
    }

    private String text(String message, KeyValuePair... pairs) {
        return log.text(TIME, Level.WARN, List.of(pairs), message, null);
    }
}
