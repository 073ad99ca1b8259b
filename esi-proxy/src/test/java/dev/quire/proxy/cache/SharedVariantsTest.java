package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Variants of one resource in a store of three proxies, of which the last one starts cold. */
class SharedVariantsTest extends ProxiesOfOneStore {
    private static final String LANGUAGE = "Accept-Language";
    private static final String TOO_LONG = "x".repeat(2_000);

    private final CacheHouse cold = started("cold");

    private static void stored(CacheHouse house, String text, String language) {
        stored(house, text, Fields.of(LANGUAGE, language), CACHE, FRESH, "Vary", LANGUAGE);
    }

    private static void stored(CacheHouse house, String text, Fields request, String... head) {
        long before = house.tiers.shared().count(TierWrite.STORED);
        house.stored(RULES, text, request, head);
        TierRest.await(() -> house.tiers.shared().count(TierWrite.STORED) == before + 1);
    }

    /** Has {@code house} receive a response that is not stored. */
    private static void refused(CacheHouse house, boolean isCoalesced, String... fields) {
        var origin = house.origin();
        var taker = house.fragment(house.here, fields);
        if (isCoalesced) {
            house.join(RULES, origin, null, taker);
        } else {
            house.here.run(
                    () -> house.coalescer.fetchUncoalesced(CacheHouse.PAGE, origin, RULES, taker));
        }
        house.settle();
        TierRest.await(() -> origin.asked() == 1);
        origin.attempt().head(200, CACHE, "no-store").end();
        house.settle();
    }

    /** How a newer response comes that is not written. */
    enum Newer {
        UNCACHEABLE {
            @Override
            void come(CacheHouse house, OneStore store) {
                refused(house, false, LANGUAGE, "fr");
            }
        },
        UNCACHEABLE_IN_PLACE_OF_A_STALE_ONE {
            @Override
            void come(CacheHouse house, OneStore store) {
                var origin = house.origin();
                var taker = house.fragment(house.here, LANGUAGE, "fr");
                house.join(RULES, origin, house.found(LANGUAGE, "fr"), taker);
                house.settle();
                origin.attempt().head(200, CACHE, "no-store").end();
            }
        },
        OF_A_SHORT_LIFETIME {
            @Override
            void come(CacheHouse house, OneStore store) {
                stored(house, "max-age=5");
            }
        },
        TOO_LONG_FOR_A_RECORD {
            @Override
            void come(CacheHouse house, OneStore store) {
                stored(house, FRESH, "X-Long", TOO_LONG);
            }
        },
        FOR_A_STORE_THAT_TAKES_NONE {
            @Override
            void come(CacheHouse house, OneStore store) {
                store.fill();
                stored(house, FRESH);
            }
        };

        abstract void come(CacheHouse house, OneStore store);

        private static void stored(CacheHouse house, String cacheControl, String... more) {
            var head = new ArrayList<>(List.of(CACHE, cacheControl, "Vary", LANGUAGE));
            head.addAll(List.of(more));
            house.stored(RULES, "newer", Fields.of(LANGUAGE, "fr"), head.toArray(String[]::new));
        }
    }

    @ParameterizedTest
    @EnumSource
    void newerResponseThatIsNotWrittenRemovesItsVariantAlone(Newer newer) {
        stored(one, "english", "en");
        stored(one, "french", "fr");
        assertThat(searched(other, LANGUAGE, "fr")).isEqualTo("found french");

        newer.come(other, store);

        TierRest.await(() -> store.size() == 2);
        for (var house : List.of(cold, other)) {
            assertThat(searched(house, LANGUAGE, "en")).isEqualTo("found english");
            assertThat(searched(house, LANGUAGE, "fr")).isEqualTo("not found");
        }
    }

    /** As for each reader with a cookie of their own. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void responsesThatAreNotStoredLeaveTheVariantsOfOthers(boolean isCoalesced) {
        stored(one, "english", "en");
        for (var language : List.of("fr", "de")) {
            assertThat(searched(other, LANGUAGE, language)).isEqualTo("not found");
            refused(other, isCoalesced, LANGUAGE, language);
        }
        assertThat(other.tiers.shared().count(TierOutcome.MISS)).isEqualTo(2);

        assertThat(searched(cold, LANGUAGE, "en")).isEqualTo("found english");
    }

    @Test
    void listIsLeftByAProxyThatDoesNotKnowIt() {
        stored(one, "english", "en");
        Newer.OF_A_SHORT_LIFETIME.come(other, store);

        assertThat(searched(cold, LANGUAGE, "en")).isEqualTo("found english");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "X-Other"})
    void newerResponseOfOtherSelectingFieldsRemovesAllVariants(String vary) {
        stored(one, "english", "en");
        assertThat(searched(other, LANGUAGE, "en")).isEqualTo("found english");
        other.stored(RULES, "newer", CACHE, "max-age=5", "Vary", vary);

        for (var house : List.of(cold, other)) {
            assertThat(searched(house, LANGUAGE, "en")).isEqualTo("not found");
        }
    }

    @Test
    void purgedVariantIsNotFoundByAListThatIsLeft() {
        stored(one, "english", "en");
        stored(one, "french", "fr");
        for (var house : List.of(one, other, cold)) {
            house.store.purge(
                    new Purge(Set.of(CacheHouse.PAGE), Set.of(), Set.of(), List.of()), false);
        }
        stored(one, "new english", "en");
        assertThat(searched(other, LANGUAGE, "de")).isEqualTo("not found");
        refused(other, true, LANGUAGE, "de");

        assertThat(searched(cold, LANGUAGE, "en")).isEqualTo("found new english");
        assertThat(searched(cold, LANGUAGE, "fr")).isEqualTo("not found");
    }

    @Test
    void codingThatIsNotWrittenLeavesAnother() {
        coded(one, "gzip");
        assertThat(searched(other)).isEqualTo("found gzip");
        other.stored(RULES, "plain", CACHE, FRESH, "Vary", "Accept-Encoding", "X-Long", TOO_LONG);
        TierRest.await(() -> other.tiers.shared().count(TierWrite.REFUSED) == 1);

        assertThat(searched(cold)).isEqualTo("found gzip");
    }

    @Test
    void codingThatIsWrittenLeavesAnother() {
        coded(one, "gzip");
        assertThat(searched(other)).isEqualTo("found gzip");
        stored(other, "plain", Fields.EMPTY, CACHE, FRESH, "Vary", "Accept-Encoding");

        assertThat(searched(cold)).isEqualTo("found plain");
        assertThat(store.size()).describedAs("the list and both").isEqualTo(3);
    }

    @Test
    void plainResponseThatIsNotWrittenRemovesTheOneBesideAListThatIsNotKnown() {
        coded(one, "gzip");
        stored(one, "plain", Fields.EMPTY, CACHE, FRESH, "Vary", "Accept-Encoding");
        assertThat(searched(other)).isEqualTo("found plain");
        cold.stored(RULES, "newer", CACHE, "max-age=5", "Vary", "Accept-Encoding");

        assertThat(searched(other)).isNotEqualTo("found plain");
    }

    /** Stores a response that may not be decoded. */
    private static void coded(CacheHouse house, String coding) {
        var origin = house.origin();
        var taker = house.reader(house.here);
        house.here.run(
                () -> house.coalescer.fetchUncoalesced(CacheHouse.PAGE, origin, RULES, taker));
        origin.attempt()
                .head(
                        200,
                        CACHE,
                        FRESH + ", no-transform",
                        "Content-Encoding",
                        coding,
                        "Vary",
                        "Accept-Encoding")
                .data(coding)
                .end();
        TierRest.await(() -> house.tiers.shared().count(TierWrite.STORED) == 1);
    }

    @Test
    void responseThatHasTakenThePlaceOfAKnownListIsFound() {
        stored(one, "english", "en");
        assertThat(searched(other, LANGUAGE, "en")).isEqualTo("found english");
        stored(one, "for all", Fields.EMPTY, CACHE, FRESH);

        assertThat(searched(other, LANGUAGE, "fr")).isEqualTo("found for all");
        assertThat(other.tiers.shared().count(TierOutcome.MISS)).isZero();
    }
}
