package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The choice among several stored responses. */
@Tag("must")
class Rfc9111Section4Test {
    private static final String FRESH = "max-age=600";
    private static final String NOON = "Fri, 20 Nov 2026 12:00:00 GMT";
    private static final String EARLIER = "Fri, 20 Nov 2026 11:59:00 GMT";

    private final CacheHouse house = new CacheHouse();

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @Test
    void ofSeveralThatMatchTheOneWithTheNewestDateAnswers() {
        house.stored(RULES, "newer", "Cache-Control", FRESH, "Date", NOON);
        house.stored(
                RULES,
                "older, though it came later",
                Fields.of("A", "1"),
                "Cache-Control",
                FRESH,
                "Date",
                EARLIER,
                "Vary",
                "A");

        assertThat(house.textOf("A", "1")).isEqualTo("newer");
    }

    @Test
    void ofTwoOfTheSameDateTheOneThatCameLastAnswers() {
        house.stored(RULES, "first", "Cache-Control", FRESH, "Date", NOON);
        house.stored(
                RULES,
                "second",
                Fields.of("A", "1"),
                "Cache-Control",
                FRESH,
                "Date",
                NOON,
                "Vary",
                "A");

        assertThat(house.textOf("A", "1")).isEqualTo("second");
        assertThat(house.textOf("A", "2")).isEqualTo("first");
    }

    @Test
    void dateThatIsNoneIsReplacedByTheTimeItCame() {
        house.stored(RULES, "text", "Cache-Control", FRESH, "Date", "soon");

        var found = house.found();
        assertThat(found.head().fields().all("Date")).containsExactly(NOON);
        found.release();
    }

    @Test
    void validDateIsNeverChanged() {
        house.stored(RULES, "text", "Cache-Control", FRESH, "Date", EARLIER);

        var found = house.found();
        assertThat(found.head().fields().all("Date")).containsExactly(EARLIER);
        found.release();
    }
}
