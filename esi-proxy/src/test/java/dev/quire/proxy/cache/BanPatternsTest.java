package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.http.Fields;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BanPatternsTest {
    private final CacheHouse house = new CacheHouse();

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "X-Host; ^news\\.example$; true",
                "X-Host; ^(other.example|News.Example)$; true",
                "X-Host; ^(other.example)$; false",
                "X-Url; /pa; true",
                "X-Url; ^/page$; true",
                "X-Url; ^/page\\?; false",
                "X-Url; ^/Page; false",
                "X-Content-Type; ^text; true",
                "X-Content-Type; TEXT/HTML; true",
                "X-Content-Type; charset=utf-8$; true",
                "X-Content-Type; ^image/; false",
                "X-Cache-Tags; (^|,)(poll|front)(,|$); true",
                "X-Cache-Tags; (^|,)(pol)(,|$); false",
                "X-Cache-Tags; (pol|oll)(,.+)?$; true",
                "X-Cache-Tags; ^poll; false",
                "X-Cache-Tags; ^art; true",
                "X-Url; .*; true"
            })
    void banHidesWhatItsPatternMatches(String field, String pattern, boolean isHidden) {
        house.stored(
                RULES,
                "page",
                "Cache-Control",
                "max-age=60",
                "X-Cache-Tags",
                "article-8,poll",
                "Content-Type",
                "text/html; charset=utf-8");

        house.store.invalidations().ban(BanCondition.of(BanPatterns.of(Fields.of(field, pattern))));

        assertThat(house.textOf()).isEqualTo(isHidden ? null : "page");
    }

    @Test
    void allPatternsMustMatch() {
        house.stored(RULES, "page", "Cache-Control", "max-age=60");

        house.store
                .invalidations()
                .ban(
                        BanCondition.of(
                                BanPatterns.of(Fields.of("X-Host", "news", "X-Url", "^/menu"))));
        house.store
                .invalidations()
                .ban(
                        BanCondition.of(
                                BanPatterns.of(Fields.of("X-Url", "page", "X-Cache-Tags", "a"))));
        assertThat(house.textOf()).isEqualTo("page");

        house.store
                .invalidations()
                .ban(
                        BanCondition.of(
                                BanPatterns.of(Fields.of("X-Host", "news", "X-Url", "^/page"))));
        assertThat(house.textOf()).isNull();
    }

    @Test
    void responseWithoutContentTypeIsOneWithAnEmptyOne() {
        house.stored(RULES, "page", "Cache-Control", "max-age=60");

        house.store
                .invalidations()
                .ban(BanCondition.of(BanPatterns.of(Fields.of("X-Content-Type", "^text"))));
        assertThat(house.textOf()).isEqualTo("page");

        house.store
                .invalidations()
                .ban(BanCondition.of(BanPatterns.of(Fields.of("X-Content-Type", ".*"))));
        assertThat(house.textOf()).isNull();
    }

    @Test
    void samePatternsAreTheSameBan() {
        var fields =
                Fields.of(
                        "X-Host", "^a$", "X-Url", ".*", "X-Content-Type", "b", "X-Cache-Tags", "c");

        house.store.invalidations().ban(BanCondition.of(BanPatterns.of(fields)));
        house.time.pass(Duration.ofSeconds(1));
        house.store.invalidations().ban(BanCondition.of(BanPatterns.of(fields)));

        assertThat(house.store.invalidations().banCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @Timeout(5)
    @CsvSource(
            delimiter = ';',
            value = {
                "X-Url; (a; X-Url: syntax error in the expression at character 1",
                "X-Url; ''; X-Url is empty",
                "X-Host; (?<=a)b; X-Host: syntax error",
                "X-Url; ((a{1000}){1000}){1000}; X-Url: the expression is too large",
                "X-Cache-Tags; ((a{1000}){1000}){1000}; X-Cache-Tags: the expression is too large",
                "X-Accept; a; no condition is given"
            })
    void unusablePatternIsRefusedWithItsField(String field, String pattern, String message) {
        assertThatThrownBy(() -> BanPatterns.of(Fields.of(field, pattern)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message)
                .hasMessageContaining("(expected ");
    }

    @Test
    void longAndRepeatedPatternsAreRefused() {
        assertThatThrownBy(() -> BanPatterns.of(Fields.of("X-Url", "a".repeat(513))))
                .hasMessageStartingWith("X-Url: the expression has 513 characters");
        assertThatThrownBy(() -> BanPatterns.of(Fields.of("X-Url", "a", "X-Url", "b")))
                .hasMessageStartingWith("X-Url is repeated");
    }
}
