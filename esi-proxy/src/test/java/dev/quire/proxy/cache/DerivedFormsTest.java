package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.Escape;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DerivedFormsTest {
    private static final String FRESH = "max-age=60";
    private static final DerivedForm UPPER = new DerivedForm.Escaped(Escape.HTML);
    private static final DerivedForm FIRST = new DerivedForm.Selected("first");

    private final CacheHouse house = new CacheHouse();
    private final List<String> made = new ArrayList<>();

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @Test
    void formIsMadeOnceAndThenKept() {
        house.stored(RULES, "text", "Cache-Control", FRESH);

        for (int i = 0; i < 3; i++) {
            var upper = inForm(house.found(), UPPER);
            assertThat(text(upper)).isEqualTo("TEXT");
            assertThat(upper.isShared()).isTrue();
            upper.release();
        }

        assertThat(made).containsExactly("text");
    }

    @Test
    void keptFormIsWeighed() {
        int size = 900;
        house.stored(RULES, "x".repeat(size), "Cache-Control", FRESH);
        long before = house.store.weightBytes();

        inForm(house.found(), UPPER).release();

        // The first form of a body adds their container; each form has its own buffer.
        assertThat(house.store.weightBytes() - before)
                .isEqualTo(
                        Footprint.FORMS_BYTES
                                + Footprint.FORM_BYTES
                                + Footprint.BUFFER_BYTES
                                + size);
        house.store.close();
        assertThat(house.store.weightBytes()).isZero();
    }

    @Test
    void formsOfFormsAreKeptByTheWayTheyAreMade() {
        house.stored(RULES, "text", "Cache-Control", FRESH);

        var both = inForm(inForm(house.found(), FIRST), UPPER);
        assertThat(text(both)).isEqualTo("T");
        both.release();
        var upper = inForm(house.found(), UPPER);
        assertThat(text(upper)).isEqualTo("TEXT");
        upper.release();
        inForm(inForm(house.found(), FIRST), UPPER).release();

        assertThat(made).containsExactly("text", "t", "text");
    }

    @Test
    void thatThereIsNoSuchFormIsKeptToo() {
        house.stored(RULES, "", "Cache-Control", FRESH);

        for (int i = 0; i < 2; i++) {
            var found = house.found();
            assertThat(house.store.inForm(found, FIRST, this::first)).isNull();
            found.release();
        }

        assertThat(made).containsExactly("");
    }

    @Test
    void formOutlivesItsResponseInTheStoreAndIsCountedMeanwhile() {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        var upper = inForm(house.found(), UPPER);

        house.store.invalidate(CacheHouse.PAGE, CacheHouse.request("POST"));

        assertThat(text(upper)).isEqualTo("TEXT");
        assertThat(house.transit.usedBytes()).isPositive();
        upper.release();
        assertThat(house.transit.usedBytes()).isZero();
    }

    @Test
    void formOfWhatHasLeftTheStoreIsNotKept() {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        var first = house.found();
        var second = house.found();
        house.store.invalidate(CacheHouse.PAGE, CacheHouse.request("POST"));
        long held = house.transit.usedBytes();

        var upper = inForm(first, UPPER);
        var again = inForm(second, UPPER);

        assertThat(text(again)).isEqualTo("TEXT");
        assertThat(made).containsExactly("text", "text");
        assertThat(house.transit.usedBytes()).isLessThanOrEqualTo(held);
        upper.release();
        again.release();
    }

    @Test
    void softPurgeKeepsForms() {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        inForm(house.found(), UPPER).release();

        house.store.purge(Purge.of(CacheHouse.PAGE), true);
        var upper = inForm(house.found(), UPPER);

        assertThat(text(upper)).isEqualTo("TEXT");
        assertThat(made).containsExactly("text");
        upper.release();
    }

    @Test
    void newerResponseHasNoneOfTheOldForms() {
        house.stored(RULES, "old", "Cache-Control", FRESH);
        inForm(house.found(), UPPER).release();
        house.time.pass(Duration.ofSeconds(1));
        house.stored(RULES, "new", "Cache-Control", FRESH);

        var upper = inForm(house.found(), UPPER);

        assertThat(text(upper)).isEqualTo("NEW");
        upper.release();
    }

    @Test
    void formsBeyondTheBoundAreMadeEachTime() {
        house.stored(RULES, "text", "Cache-Control", FRESH);

        for (int round = 0; round < 2; round++) {
            for (int i = 0; i <= DerivedForms.MAX_FORMS; i++) {
                inForm(house.found(), new DerivedForm.Selected("number " + i)).release();
            }
        }

        assertThat(made).hasSize(DerivedForms.MAX_FORMS + 2);
    }

    private StoredResponse inForm(StoredResponse response, DerivedForm form) {
        DerivedForm.Maker maker = form.equals(UPPER) ? this::upper : this::first;
        var made = house.store.inForm(response, form, maker);
        if (made == null) {
            throw new AssertionError("no such form");
        }
        return made;
    }

    private DerivedForm.Content upper(StoredResponse response) {
        var text = text(response);
        made.add(text);
        return new DerivedForm.Content(bytes(text.toUpperCase(Locale.ROOT)), null);
    }

    private DerivedForm.@Nullable Content first(StoredResponse response) {
        var text = text(response);
        made.add(text);
        return text.isEmpty() ? null : new DerivedForm.Content(bytes(text.substring(0, 1)), null);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String text(StoredResponse response) {
        return response.body().toString(StandardCharsets.ISO_8859_1);
    }
}
