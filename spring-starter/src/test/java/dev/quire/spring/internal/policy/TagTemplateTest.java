package dev.quire.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TagTemplateTest {

    /** Quire ignores longer ones of responses, so they could not be purged. */
    @Test
    void tagHasAtMost256Characters() {
        assertThat(TagTemplate.isTag("a".repeat(256))).isTrue();
        assertThat(TagTemplate.isTag("a".repeat(257))).isFalse();

        var template = TagTemplate.parse("a-#{#id}", Set.of("id"));
        assertThat(template.tag(Map.of("id", "b".repeat(254)))).hasSize(256);
        assertThat(template.tag(Map.of("id", "b".repeat(255)))).isNull();
    }

    @Test
    void templateThatCanOnlyBeTooLongIsRefused() {
        assertThat(TagTemplate.parse("a".repeat(256), Set.of()).source()).hasSize(256);

        assertThatThrownBy(() -> TagTemplate.parse("a".repeat(257), Set.of()))
                .hasMessageEndingWith("' is longer than 256 characters");
    }
}
