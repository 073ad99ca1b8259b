package dev.quire.news.election;

import dev.quire.news.place.Region;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The stored count by region and candidate, and its history. */
@Repository
class Counts {
    private final JdbcClient client;
    private final JdbcTemplate batches;

    Counts(JdbcClient client, JdbcTemplate batches) {
        this.client = client;
        this.batches = batches;
    }

    /** False until {@link #begin} has run. */
    boolean hasBegun() {
        return client.sql("select count(*) from region").query(Long.class).single() > 0;
    }

    /** Stores candidates and regions with nothing counted. */
    void begin(Night night) {
        batches.batchUpdate(
                "insert into candidate (list_number, colour) values (?, ?)",
                Arrays.stream(Candidate.values())
                        .map(one -> new Object[] {one.listNumber(), one.colour()})
                        .toList());
        batches.batchUpdate(
                """
                insert into region (code, english, korean, electors, polling_places, ballots)
                values (?, ?, ?, ?, ?, ?)
                """,
                Arrays.stream(Region.values())
                        .map(region ->
                                new Object[] {
                                    region.name(),
                                    region.english(),
                                    region.korean(),
                                    region.electors(),
                                    Night.pollingPlaces(region),
                                    night.ballots(region)
                                })
                        .toList());
        batches.batchUpdate(
                "insert into region_count (region, places, invalid) values (?, 0, 0)",
                Arrays.stream(Region.values())
                        .map(region -> new Object[] {region.name()})
                        .toList());
        batches.batchUpdate(
                "insert into region_votes (region, list_number, votes) values (?, ?, 0)",
                Arrays.stream(Region.values())
                        .flatMap(region ->
                                Arrays.stream(Candidate.values())
                                        .map(one -> new Object[] {region.name(), one.listNumber()}))
                        .toList());
    }

    /** Returns the current count. It is one statement, so that all rows belong to the same step. */
    Count current() {
        record Row(
                Region region,
                int pollingPlaces,
                long ballots,
                int places,
                long invalid,
                long votes) {}

        var rows =
                client.sql(
                                """
                                select r.code, r.polling_places, r.ballots, c.places, c.invalid, v.votes
                                from region r
                                join region_count c on c.region = r.code
                                join region_votes v on v.region = r.code
                                order by v.list_number
                                """)
                        .query((row, number) ->
                                new Row(
                                        Region.valueOf(row.getString("code")),
                                        row.getInt("polling_places"),
                                        row.getLong("ballots"),
                                        row.getInt("places"),
                                        row.getLong("invalid"),
                                        row.getLong("votes")))
                        .list();
        return new Count(
                Arrays.stream(Region.values())
                        .map(region -> rows.stream().filter(row -> row.region == region).toList())
                        .map(its -> {
                            var one = its.getFirst();
                            var votes = its.stream().map(Row::votes).toList();
                            return new RegionCount(
                                    one.region,
                                    one.pollingPlaces,
                                    one.ballots,
                                    new Tally(one.places, votes, one.invalid));
                        })
                        .toList());
    }

    /** Adds the votes of {@code opened} to their regions. */
    void add(Collection<PollingPlace> opened) {
        Map<Region, Tally> added = new EnumMap<>(Region.class);
        opened.forEach(place -> added.merge(place.region(), place.tally(), Tally::plus));
        batches.batchUpdate(
                """
                update region_count set places = places + ?, invalid = invalid + ?
                where region = ?
                """,
                added.entrySet().stream()
                        .map(entry ->
                                new Object[] {
                                    entry.getValue().places(),
                                    entry.getValue().invalid(),
                                    entry.getKey().name()
                                })
                        .toList());
        batches.batchUpdate(
                "update region_votes set votes = votes + ? where region = ? and list_number = ?",
                added.entrySet().stream()
                        .flatMap(entry ->
                                Arrays.stream(Candidate.values())
                                        .map(one ->
                                                new Object[] {
                                                    entry.getValue().votesFor(one),
                                                    entry.getKey().name(),
                                                    one.listNumber()
                                                }))
                        .toList());
    }

    /** Stores national totals for the chart. */
    void remember(Collection<Tally> standings) {
        batches.batchUpdate(
                "insert into count_history (places, list_number, votes) values (?, ?, ?)",
                standings.stream()
                        .flatMap(tally ->
                                Arrays.stream(Candidate.values())
                                        .map(one ->
                                                new Object[] {
                                                    tally.places(),
                                                    one.listNumber(),
                                                    tally.votesFor(one)
                                                }))
                        .toList());
    }

    /** Returns the stored totals, earliest first, without invalid papers. */
    List<Tally> history() {
        record Row(int places, int listNumber, long votes) {}

        var standings = new TreeMap<Integer, Long[]>();
        client.sql("select places, list_number, votes from count_history")
                .query((row, number) ->
                        new Row(
                                row.getInt("places"),
                                row.getInt("list_number"),
                                row.getLong("votes")))
                .list()
                .forEach(row ->
                        standings
                                        .computeIfAbsent(
                                                row.places,
                                                places -> new Long[Candidate.values().length])[
                                        row.listNumber - 1] =
                                row.votes);
        return standings.entrySet().stream()
                .map(entry -> new Tally(entry.getKey(), List.of(entry.getValue()), 0))
                .toList();
    }
}
