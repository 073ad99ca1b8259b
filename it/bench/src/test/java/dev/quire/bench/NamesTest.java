package dev.quire.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NamesTest {

    @Test
    void nearestIsTheOneWithTheFewestEdits() {
        var valid = List.of("nginx", "quire", "varnish");

        assertThat(Names.nearest("varnsh", valid)).isEqualTo("varnish");
        assertThat(Names.edits("kitten", "sitting")).isEqualTo(3);
        assertThat(Names.edits("", "abc")).isEqualTo(3);
    }
}
