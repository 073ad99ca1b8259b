package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NettyFieldsTest {
    private final HttpHeaders headers =
            new DefaultHttpHeaders().add("Accept", "a").add("Host", "h").add("accept", "b");
    private final Fields fields = new NettyFields(headers);

    @Test
    void namesCompareWithoutRegardToCase() {
        assertThat(fields.first("ACCEPT")).isEqualTo("a");
        assertThat(fields.all("ACCEPT")).containsExactly("a", "b");
        assertThat(fields.contains("hOST")).isTrue();
        assertThat(fields.first("X")).isNull();
        assertThat(fields.all("X")).isEmpty();
        assertThat(fields.contains("X")).isFalse();
    }

    @Test
    void everyNameFindsItsOwnLines() {
        var names = new ArrayList<String>();
        for (int i = 0; i < 5_000; i++) {
            names.add("X-" + i);
        }
        // These have the same String.hashCode; the last two only differ outside of ASCII.
        names.addAll(List.of("X-Aa", "X-BB", "X-" + "a".repeat(100), "X-é", "X-ü"));
        var many = DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
        names.forEach(name -> many.add(name, "of " + name));
        var all = new NettyFields(many);
        for (int round = 0; round < 2; round++) {
            for (var name : names) {
                assertThat(all.all(name)).containsExactly("of " + name);
                assertThat(all.first(name)).isEqualTo("of " + name);
                assertThat(all.any(name, value -> value.equals("of " + name))).isTrue();
                assertThat(all.contains(name + "x")).isFalse();
            }
        }
    }

    @Test
    void linesComeInOrder() {
        assertThat(lines(fields)).containsExactly("Accept: a", "Host: h", "accept: b");
    }

    @Test
    void linesAreCopiedWhoeverHoldsThem() {
        var ofNetty = new DefaultHttpHeaders();
        var ofOthers = new DefaultHttpHeaders();

        NettyFields.copy(fields, ofNetty);
        NettyFields.copy(Fields.of("Accept", "a", "Host", "h", "accept", "b"), ofOthers);

        assertThat(lines(new NettyFields(ofNetty))).isEqualTo(lines(fields));
        assertThat(lines(new NettyFields(ofOthers))).isEqualTo(lines(fields));
    }

    private static List<String> lines(Fields fields) {
        var lines = new ArrayList<String>();
        fields.forEach((name, value) -> lines.add(name + ": " + value));
        return lines;
    }
}
