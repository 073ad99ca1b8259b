package dev.quire.news.editor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DraftTest {
    @Test
    void emptyLinesPartParagraphs() {
        var draft = new Draft(" Head ", "Stand", "One\r\nline.\r\n\r\n \r\nTwo.\r\n");

        assertThat(draft.headline()).isEqualTo("Head");
        assertThat(draft.paragraphs()).containsExactly("One line.", "Two.");
        assertThat(draft.problem()).isEmpty();
    }

    @Test
    void whatCannotBePrintedIsSaid() {
        assertThat(new Draft(" ", "Stand", "Text").problem()).isPresent();
        assertThat(new Draft("Head", "", "Text").problem()).isPresent();
        assertThat(new Draft("Head", "Stand", "\r\n").problem()).isPresent();
        assertThat(new Draft("H".repeat(301), "Stand", "Text").problem()).isPresent();
        assertThat(new Draft("H".repeat(300), "Stand", "Text").problem()).isEmpty();
        assertThat(Draft.empty().problem()).isPresent();
    }
}
