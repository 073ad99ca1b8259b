package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ReplacedLinesTest {

    @Test
    void equalHeadsHaveNoDifference() {
        var fields = Fields.of("A", "1", "B", "2");

        assertThat(ReplacedLines.between(fields, Fields.of("b", "2", "A", "1"))).isNull();
    }

    @Test
    void addedChangedAndRemovedLinesAreUndone() {
        var received = Fields.of("A", "1", "B", "2", "b", "3", "C", "4");
        var changed = Fields.of("A", "1", "b", "3", "C", "5", "D", "6");

        var replaced = Objects.requireNonNull(ReplacedLines.between(received, changed));

        assertThat(replaced.received()).isEqualTo(Fields.of("B", "2", "b", "3", "C", "4"));
        var undone = replaced.undone(new ResponseHead(200, "", changed)).fields();
        assertThat(undone).isEqualTo(Fields.of("A", "1", "B", "2", "b", "3", "C", "4"));
    }

    @Test
    void linesThatMustNotBeStoredAreLeftOut() {
        var received = Fields.of("Cache-Control", "private=\"X-User\"", "X-User", "a");

        var replaced = Objects.requireNonNull(ReplacedLines.between(received, Fields.EMPTY));

        assertThat(replaced.received()).isEqualTo(Fields.of("Cache-Control", "private=\"X-User\""));
    }

    @Test
    void cookiesThatTheRulesHaveDroppedAreLeftOut() {
        var received = Fields.of("Set-Cookie", "id=secret", "Set-Cookie", "lang=en", "A", "1");

        var replaced = Objects.requireNonNull(ReplacedLines.between(received, Fields.EMPTY));

        assertThat(replaced.received()).isEqualTo(Fields.of("A", "1"));
        var some = Fields.of("Set-Cookie", "lang=en", "A", "1");
        var kept = Objects.requireNonNull(ReplacedLines.between(received, some));
        assertThat(kept.undone(new ResponseHead(200, "", some)).fields().all("Set-Cookie"))
                .containsExactly("id=secret", "lang=en");
    }
}
