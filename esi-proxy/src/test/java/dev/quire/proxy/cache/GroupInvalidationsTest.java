package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("may")
class GroupInvalidationsTest {
    private static final CacheKey ELSEWHERE = new CacheKey(Scheme.HTTPS, "news.example", "/page");
    private static final String FRESH = "max-age=60, stale-while-revalidate=60";

    private final CacheHouse house = new CacheHouse();

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @Test
    void whatIsInTheGroupIsHiddenAndWhatIsFetchedAfterwardsIsNot() {
        stored("before", "\"polls\", \"front\"");

        house.store.invalidations().invalidateGroups(PAGE, Set.of("other", "polls"));

        assertThat(house.textOf()).isNull();
        stored("after", "\"polls\"");
        assertThat(house.textOf()).isEqualTo("after");
    }

    @Test
    void otherGroupsAndOtherOriginsHideNothing() {
        stored("text", "\"polls\"");

        house.store.invalidations().invalidateGroups(PAGE, Set.of("poll", "Polls"));
        house.store.invalidations().invalidateGroups(ELSEWHERE, Set.of("polls"));

        assertThat(house.textOf()).isEqualTo("text");
    }

    @Test
    void answerThatIsOnItsWayIsNotStored() {
        var origin = house.origin();
        house.fetchUncoalesced(origin, house.fragment(house.here));

        house.store.invalidations().invalidateGroups(PAGE, Set.of("polls"));
        origin.attempt().head(200, head("\"polls\"")).data("before").end();

        assertThat(house.textOf()).isNull();
    }

    @Test
    void whatASoftPurgeHasMadeStaleIsStillHidden() {
        stored("before", "\"polls\"");
        house.store.invalidations().invalidateGroups(PAGE, Set.of("polls"));

        house.store.purge(Purge.of(PAGE), true);

        assertThat(house.textOf()).isNull();
    }

    @Test
    void whatIsHiddenIsNeitherCountedNorShown() {
        stored("before", "\"polls\"");

        house.store.invalidations().invalidateGroups(PAGE, Set.of("polls"));

        assertThat(house.store.count(Purge.of(PAGE)).all()).isZero();
        house.store.forEach(response -> assertThat(response.key()).as("shown").isNull());
    }

    @Test
    void bansAreLeftAlone() {
        house.store.invalidations().invalidateGroups(PAGE, Set.of("polls"));

        assertThat(house.store.invalidations().bans()).isEmpty();
        assertThat(house.store.invalidations().banCount()).isZero();
    }

    @Test
    void manyGroupsOfOthersForgetNothing() {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        var numbered = IntStream.range(0, 100_000).mapToObj(i -> "group-" + i);

        house.store
                .invalidations()
                .invalidateGroups(ELSEWHERE, numbered.collect(Collectors.toSet()));
        assertThat(house.store.invalidations().isSweepDue()).isFalse();
        stored("in a group", "\"polls\"");
        house.store.invalidations().invalidateGroups(PAGE, Set.of("polls"));

        assertThat(house.textOf()).isNull();
    }

    @Test
    void renewalOfWhatIsHiddenShowsItAgain() {
        stored("text", "\"polls\"");
        var origin = house.origin();
        house.time.pass(Duration.ofSeconds(61));
        var stale = house.found();
        house.store.invalidations().invalidateGroups(PAGE, Set.of("polls"));

        house.join(RULES, origin, stale, house.reader(house.here));
        origin.attempt().head(304, "Cache-Control", FRESH).end();

        assertThat(house.textOf()).isEqualTo("text");
    }

    private void stored(String text, String groups) {
        house.stored(RULES, text, head(groups));
    }

    private static String[] head(String groups) {
        return List.of("Cache-Control", FRESH, "ETag", "\"1\"", "Cache-Groups", groups)
                .toArray(String[]::new);
    }
}
