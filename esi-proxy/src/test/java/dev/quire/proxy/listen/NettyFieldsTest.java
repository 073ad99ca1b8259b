package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import io.netty.handler.codec.http.DefaultHttpHeaders;
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
