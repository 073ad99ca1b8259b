package dev.quire.news.writing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.news.place.Atlas;
import dev.quire.news.writing.Notebook.Note;
import dev.quire.news.writing.Notebook.Remark;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NotebookTest {
    private static final List<Note> NOTES = new Notebook(Atlas.load()).write();

    @Test
    void postsAreNumberedFromTheOldest() {
        assertThat(NOTES).hasSize(Notebook.POSTS);
        assertThat(NOTES).extracting(Note::number).startsWith(1, 2, 3).endsWith(499, 500);
        assertThat(NOTES.stream().map(Note::published)).isSorted();
    }

    @Test
    void noPostOccursTwice() {
        assertThat(NOTES.stream().map(note -> String.join(" ", note.paragraphs())))
                .doesNotHaveDuplicates();
    }

    @Test
    void textsAreWholeSentencesWithAllFacts() {
        var texts =
                NOTES.stream()
                        .flatMap(note ->
                                Stream.concat(
                                        note.paragraphs().stream(),
                                        note.remarks().stream().map(Remark::text)))
                        .toList();

        assertThat(texts)
                .hasSizeGreaterThan(10_000)
                .allMatch(text -> text.matches("[\\p{Lu}0-9“].*[.?”]"))
                .noneMatch(text -> text.contains("  ") || text.matches(".*[{}\\[\\]|].*"));
    }

    @Test
    void commentsFollowTheirPost() {
        for (var note : NOTES) {
            assertThat(note.remarks()).isNotEmpty();
            assertThat(note.remarks().getFirst().written()).isAfter(note.published());
            assertThat(note.remarks().stream().map(Remark::written)).isSorted();
        }
    }

    @Test
    void postsAreTheSameEachTime() {
        assertThat(new Notebook(Atlas.load()).write()).isEqualTo(NOTES);
    }
}
