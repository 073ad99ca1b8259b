package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TagsTest {

    @Test
    void tagsOfAllFieldsAreFoundOnceAndInOrder() {
        var tags =
                Tags.of(
                        Fields.of(
                                "Surrogate-Key", " poll  front\tpoll ",
                                "xkey", "a",
                                "xkey", "b c",
                                "Cache-Tag", "news item, ,front,last",
                                "X-Cache-Tags", "article-8,front,a tag"));

        assertThat(tags)
                .containsExactly(
                        "poll", "front", "a", "b", "c", "news item", "last", "article-8", "a tag");
    }

    @Test
    void groupsAreStringsAndKeepTheirCommas() {
        var tags =
                Tags.of(
                        Fields.of(
                                "Cache-Groups", "\"one, two\";q=1, \"a\\\"b\"",
                                "Cache-Groups", "\"three\""));

        assertThat(tags).containsExactly("one, two", "a\"b", "three");
    }

    @Test
    void quotesMeanNothingInOtherFields() {
        assertThat(Tags.of(Fields.of("Surrogate-Key", "\"a b\"", "Cache-Tag", "\"c,d\"")))
                .containsExactly("\"a", "b\"", "\"c", "d\"");
    }

    @Test
    void numberAndLengthOfTagsAreBounded() {
        var many =
                IntStream.range(0, 500)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(" "));

        assertThat(Tags.of(Fields.of("Surrogate-Key", "x".repeat(257) + " " + many)))
                .hasSize(128)
                .startsWith("0")
                .endsWith("127");
    }

    @Test
    void responseWithMoreTagsIsNotStored() {
        var most = tags(128);
        var tooMany = tags(129);

        assertThat(Arriving.with("Cache-Control", "max-age=5", "Cache-Tag", most).lifetime())
                .isEqualTo(5);
        assertThat(Arriving.with("Cache-Control", "max-age=5", "Cache-Tag", tooMany).refusal())
                .isEqualTo(StorageRefusal.TAGS);
    }

    private static String tags(int count) {
        return IntStream.range(0, count)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(","));
    }

    @Test
    void responseWithoutTagsHasNone() {
        assertThat(Tags.of(Fields.of("Content-Type", "text/html"))).isEmpty();
    }
}
