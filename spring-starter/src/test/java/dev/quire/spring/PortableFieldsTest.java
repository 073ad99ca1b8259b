package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/** Fields for other caches. */
@SpringBootTest(
        classes = {Site.class, Readers.class, PortableFieldsTest.Quoted.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.headers.mode=portable",
            "quire.headers.tag-header=Surrogate-Key,xkey,Cache-Tag",
            "quire.headers.cache-groups=true",
            "quire.headers.tag-limit=30B"
        })
class PortableFieldsTest {

    @LocalServerPort private int port;

    @Test
    void aCacheWithoutSurrogateControlIsToldTheSameTimes() {
        var surrogate = Visitor.of(port).behindSurrogate();

        assertThat(field(surrogate.get("/page"), "Cache-Control"))
                .isEqualTo(
                        "max-age=0, s-maxage=60, stale-while-revalidate=30, stale-if-error=3600");
        assertThat(field(surrogate.get("/page"), "Surrogate-Control"))
                .isEqualTo("max-age=60+30, stale-if-error=3600, content=\"ESI/1.0\"");
        assertThat(field(surrogate.get("/entity/1"), "Cache-Control"))
                .isEqualTo("max-age=10, s-maxage=300");
        assertThat(field(surrogate.get("/own-cache-control"), "Cache-Control"))
                .isEqualTo("max-age=7");
        assertThat(field(surrogate.get("/fragments/greeting"), "Cache-Control"))
                .isEqualTo("private, no-store");
    }

    @Test
    void tagsStandInEachFieldAsItsReadersPartThem() {
        var page = Visitor.of(port).behindSurrogate().get("/page");

        assertThat(field(page, "Surrogate-Key")).isEqualTo("page front");
        assertThat(field(page, "xkey")).isEqualTo("page front");
        assertThat(field(page, "Cache-Tag")).isEqualTo("page,front");
        assertThat(field(page, "Cache-Groups")).isEqualTo("\"page\", \"front\"");
    }

    @Test
    void aGroupIsWrittenAsAString() {
        var quoted = Visitor.of(port).behindSurrogate().get("/quoted");

        assertThat(field(quoted, "Cache-Groups")).isEqualTo("\"a\\\"b\\\\c\"");
    }

    @Test
    void whatIsPrivateHasNoneOfThem() {
        var careless = Visitor.of(port).behindSurrogate().get("/cookie");

        assertThat(careless.headers().map())
                .doesNotContainKeys(
                        "surrogate-control", "surrogate-key", "xkey", "cache-tag", "cache-groups");
        assertThat(field(careless, "Cache-Control")).isEqualTo("private, no-store");
    }

    @Test
    void tagsThatAreTooLongMakeItPrivateForCachesThatKnowNothingElse() {
        var answer = Visitor.of(port).behindSurrogate().get("/long-tags");

        assertThat(field(answer, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(answer.headers().map()).doesNotContainKeys("surrogate-control", "xkey");
    }

    @Controller
    static class Quoted {

        @GetMapping("/long-tags")
        @EsiFragment(ttl = "1s", tags = "a-tag-of-more-than-thirty-characters")
        @ResponseBody
        String longTags() {
            return "long";
        }

        @GetMapping("/quoted")
        @EsiFragment(ttl = "1s", tags = "a\"b\\c")
        @ResponseBody
        String quoted() {
            return "quoted";
        }
    }
}
