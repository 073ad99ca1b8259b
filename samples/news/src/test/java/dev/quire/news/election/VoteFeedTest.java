package dev.quire.news.election;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.support.TransactionOperations;

class VoteFeedTest {
    private static final FeedProperties PROPERTIES =
            new FeedProperties(false, Duration.ofSeconds(1), 7, 130);

    private EmbeddedDatabase database;
    private JdbcClient client;
    private Counts counts;
    private VoteFeed feed;

    @BeforeEach
    void begin() {
        database =
                new EmbeddedDatabaseBuilder()
                        .generateUniqueName(true)
                        .setType(EmbeddedDatabaseType.H2)
                        .addScript("schema.sql")
                        .build();
        client = JdbcClient.create(database);
        counts = new Counts(client, new JdbcTemplate(database));
        feed = feed(PROPERTIES);
        feed.afterSingletonsInstantiated();
    }

    @AfterEach
    void close() {
        database.shutdown();
    }

    @Test
    void theNightBeginsWithSomeBoxesOpen() {
        assertThat(counts.current().national().places()).isEqualTo(130);
    }

    @Test
    void everyStepOpensTheNextBoxes() {
        var before = counts.current().national();

        feed.advance();

        var after = counts.current().national();
        assertThat(after.places()).isEqualTo(137);
        assertThat(after.valid()).isGreaterThan(before.valid());
    }

    @Test
    void nationalFiguresAreTheSumsOfTheRegionsAfterEveryStep() {
        for (int step = 0; step < 20; step++) {
            feed.advance();

            var national = counts.current().national();
            assertThat(national.valid()).isEqualTo(sum("select sum(votes) from region_votes"));
            assertThat(national.invalid()).isEqualTo(sum("select sum(invalid) from region_count"));
            assertThat(national.places()).isEqualTo(sum("select sum(places) from region_count"));
            for (Candidate candidate : Candidate.values()) {
                assertThat(national.votesFor(candidate))
                        .isEqualTo(
                                sum(
                                        "select sum(votes) from region_votes where list_number = "
                                                + candidate.listNumber()));
            }
        }
    }

    @Test
    void noRegionHasFewerVotesThanBefore() {
        var before = counts.current();

        for (int step = 0; step < 20; step++) {
            feed.advance();
        }

        var after = new ArrayList<>(counts.current().regions());
        for (RegionCount earlier : before.regions()) {
            var later = after.removeFirst();
            assertThat(later.region()).isEqualTo(earlier.region());
            for (Candidate candidate : Candidate.values()) {
                assertThat(later.tally().votesFor(candidate))
                        .isGreaterThanOrEqualTo(earlier.tally().votesFor(candidate));
            }
        }
    }

    @Test
    void aNightThatWasInterruptedGoesOnWhereItStood() {
        feed.advance();
        var before = counts.current();

        var restarted = feed(PROPERTIES);
        restarted.afterSingletonsInstantiated();

        assertThat(counts.current()).isEqualTo(before);
        restarted.advance();
        assertThat(counts.current().national().places()).isEqualTo(144);
    }

    @Test
    void whenAllBoxesAreOpenEveryBallotIsCountedAndNothingMoves() {
        var hasty = feed(new FeedProperties(false, Duration.ofSeconds(1), 100_000, 0));
        hasty.advance();

        var end = counts.current();

        assertThat(end.isComplete()).isTrue();
        assertThat(end.progress()).isEqualTo(100);
        assertThat(end.regions()).allMatch(RegionCount::isComplete);
        assertThat(end.regions())
                .allSatisfy(
                        region -> assertThat(region.tally().ballots()).isEqualTo(region.ballots()));
        hasty.advance();
        assertThat(counts.current()).isEqualTo(end);
    }

    @Test
    void theNightIsRememberedForItsChart() {
        for (int step = 0; step < 10; step++) {
            feed.advance();
        }

        assertThat(counts.history()).extracting(Tally::places).containsExactly(100, 200);
        assertThat(counts.history().getLast().valid())
                .isLessThanOrEqualTo(counts.current().national().valid());
    }

    private VoteFeed feed(FeedProperties properties) {
        return new VoteFeed(counts, TransactionOperations.withoutTransaction(), properties);
    }

    private long sum(String sql) {
        return client.sql(sql).query(Long.class).single();
    }
}
