package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.rule.PathPattern;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories of fetches, validations and invalidations of all kinds, compared with the plain
 * rule: a response is covered by the entries after its fetch began that match its head.
 */
class InvalidationHistoriesTest {
    private static final int STEPS = 3_000;
    private static final List<String> HOSTS = List.of("a.example", "b.example");
    private static final List<String> TARGETS = List.of("/x", "/x/y", "/z");
    private static final List<String> TAGS = List.of("red", "green", "blue");

    private final HandSetTime time = new HandSetTime();
    private final InFlightBudget transit = new InFlightBudget(1_000_000);
    private final PageStore store =
            new PageStore(
                    10_000_000,
                    false,
                    transit,
                    time::now,
                    () -> PageStore.nanos(time.now()),
                    new Invalidations(
                            time::now,
                            new HashedPositions(HashedPositions.DEFAULT_COUNT, new Random(1))));

    private final List<Entry> entries = new ArrayList<>();
    private final Map<CacheKey, Known> stored = new HashMap<>();
    private final List<Flight> flights = new ArrayList<>();

    /** The number of the active ban on each tag. */
    private final Map<String, Long> bans = new HashMap<>();

    /** The values that are compared with conditions. */
    private record Head(CacheKey key, Set<String> tags, Set<String> groups) {}

    /**
     * An entry of the sequence.
     *
     * @param ban its number; 0 for others
     * @param cause the unsafe request, if any
     */
    private record Entry(
            Predicate<Head> covers, boolean isSoft, long ban, @Nullable RequestHead cause) {}

    /** A stored response and the number of entries when its fetch began. */
    private record Known(Head head, int order, boolean isStale) {}

    private record Flight(
            RequestHead request,
            OrderedFetch fetch,
            int order,
            CacheKey key,
            @Nullable Head old,
            @Nullable StoredResponse renewed) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void everyResponseIsInTheStateThatThePlainRuleGives(long seed) throws Exception {
        var random = new Random(seed);
        var states = new HashMap<String, Integer>();

        for (int step = 0; step < STEPS; step++) {
            time.pass(Duration.ofNanos(1));
            take(random);
            var key = key(random);
            var state = found(key);
            assertThat(state).as("%s in step %s", key.url(), step).isEqualTo(expected(key));
            states.merge(state, 1, Integer::sum);
        }
        assertThat(states.keySet()).containsExactlyInAnyOrder("fresh", "stale", "nothing");
        assertThat(states.values()).allMatch(count -> count > STEPS / 50, "is frequent");

        while (!flights.isEmpty()) {
            end(random);
        }
        store.close();
        assertThat(transit.usedBytes()).isZero();
        assertThat(store.invalidations().openFetches()).isZero();
    }

    private void take(Random random) throws InterruptedException {
        switch (random.nextInt(24)) {
            case 0, 1, 2 -> begin(random, "GET");
            case 3, 4, 5 -> validate(random);
            case 6, 12 -> purge(random);
            case 7 -> post(random);
            case 8 -> {
                var key = key(random);
                var name = tag(random);
                store.invalidations().invalidateGroups(key, Set.of(name));
                enter(head -> head.key().isOfSameAuthority(key) && head.groups().contains(name));
            }
            case 9 -> ban(tag(random));
            case 10 -> lift();
            case 11 -> sweep();
            default -> end(random);
        }
    }

    private void purge(Random random) {
        var key = key(random);
        var name = tag(random);
        boolean isSoft = random.nextBoolean();
        boolean isCounted = random.nextBoolean();
        var paths = List.of(new PathPattern("/x/**"));
        var purge =
                switch (random.nextInt(4)) {
                    case 0 -> new Purge(Set.of(key), Set.of(), Set.of(), List.of());
                    case 1 -> new Purge(Set.of(), Set.of(name), Set.of(), List.of());
                    case 2 -> new Purge(Set.of(), Set.of(), Set.of(key.authority()), List.of());
                    default -> new Purge(Set.of(), Set.of(), Set.of(), paths);
                };
        Predicate<Head> covers =
                head ->
                        purge.keys().contains(head.key())
                                || allTags(head).stream().anyMatch(purge.tags()::contains)
                                || purge.hosts().contains(head.key().authority())
                                || (!purge.paths().isEmpty()
                                        && head.key().path().startsWith("/x/"));
        long all = count(known -> covers.test(known.head()));
        long unhidden = count(known -> covers.test(known.head()) && !isCovered(known, false));
        entries.add(new Entry(covers, isSoft, 0, null));
        if (isCounted) {
            assertThat(store.purge(purge, isSoft).all()).isBetween(unhidden, all);
            applyAll(head -> purge.isOfUrls() ? head.key().equals(key) : true);
        } else {
            store.purgeUncounted(purge, isSoft);
            applyAll(head -> purge.isOfUrls() && head.key().equals(key));
        }
    }

    private long count(Predicate<Known> condition) {
        return stored.values().stream().filter(condition).count();
    }

    private void begin(Random random, String method) {
        var key = key(random);
        var request =
                new RequestHead(method, key.scheme(), key.authority(), key.target(), Fields.EMPTY);
        flights.add(
                new Flight(
                        request,
                        store.invalidations().open(request),
                        entries.size(),
                        key,
                        null,
                        null));
    }

    private void validate(Random random) {
        var key = key(random);
        var old = store.find(key, request -> true);
        apply(key);
        var known = stored.get(key);
        if (old != null && known != null) {
            var request =
                    new RequestHead(
                            "GET", key.scheme(), key.authority(), key.target(), Fields.EMPTY);
            flights.add(
                    new Flight(
                            request,
                            store.invalidations().open(request),
                            entries.size(),
                            key,
                            known.head(),
                            old));
        }
    }

    private void post(Random random) {
        begin(random, "POST");
        var post = flights.getLast();
        store.invalidate(post.key(), post.request());
        entries.add(new Entry(head -> head.key().equals(post.key()), false, 0, post.request()));
        apply(post.key());
    }

    @SuppressWarnings("ReferenceEquality") // An equal request may be a different one.
    private void end(Random random) {
        if (flights.isEmpty()) {
            return;
        }
        var flight = flights.remove(random.nextInt(flights.size()));
        var head = new Head(flight.key(), Set.of(tag(random)), Set.of(tag(random)));
        var response = response(head);

        boolean isStored = store.put(response, flight.renewed(), flight.fetch(), null);

        response.release();
        store.invalidations().close(flight.fetch());
        if (flight.renewed() != null) {
            flight.renewed().release();
        }
        boolean isExpected =
                entries.subList(flight.order(), entries.size()).stream()
                        .filter(entry -> isInForce(entry) && entry.cause() != flight.request())
                        .noneMatch(entry ->
                                entry.covers().test(head)
                                        || (flight.old() != null
                                                && entry.covers().test(flight.old())));
        assertThat(isStored).as("stored").isEqualTo(isExpected);
        if (isStored) {
            stored.put(head.key(), new Known(head, entries.size(), false));
        }
    }

    private void ban(String tag) {
        var condition =
                new BanCondition(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(tag),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty());
        long number = store.invalidations().ban(condition).orElseThrow();
        entries.add(new Entry(head -> allTags(head).contains(tag), false, number, null));
        bans.put(tag, number);
    }

    /** Withdraws the newest ban, unless it is completed. */
    private void lift() {
        var newest =
                store.invalidations().bans().stream().filter(ban -> !ban.isCompleted()).findFirst();
        if (newest.isPresent()) {
            assertThat(store.invalidations().lift(newest.get().number())).isTrue();
            bans.values().remove(newest.get().number());
            enter(head -> false);
        }
    }

    private void sweep() throws InterruptedException {
        store.sweep(1, () -> {});
        applyAll(head -> true);
    }

    private void enter(Predicate<Head> covers) {
        entries.add(new Entry(covers, false, 0, null));
    }

    private boolean isInForce(Entry entry) {
        return entry.ban() == 0 || bans.containsValue(entry.ban());
    }

    private boolean isCovered(Known known, boolean isSoft) {
        return entries.subList(known.order(), entries.size()).stream()
                .filter(entry -> isInForce(entry) && entry.isSoft() == isSoft)
                .anyMatch(entry -> entry.covers().test(known.head()));
    }

    private void applyAll(Predicate<Head> reached) {
        stored.values().stream()
                .map(Known::head)
                .filter(reached)
                .map(Head::key)
                .toList()
                .forEach(this::apply);
    }

    private void apply(CacheKey key) {
        stored.computeIfPresent(
                key,
                (same, known) ->
                        isCovered(known, false)
                                ? null
                                : new Known(
                                        known.head(),
                                        entries.size(),
                                        known.isStale() || isCovered(known, true)));
    }

    private String expected(CacheKey key) {
        apply(key);
        var known = stored.get(key);
        return known == null ? "nothing" : known.isStale() ? "stale" : "fresh";
    }

    private String found(CacheKey key) {
        var found = store.find(key, request -> true);
        if (found == null) {
            return "nothing";
        }
        boolean isFresh = found.freshness().isFreshAt(time.now());
        found.release();
        return isFresh ? "fresh" : "stale";
    }

    private StoredResponse response(Head head) {
        var fields =
                Fields.of(
                        "Cache-Tag",
                        String.join(",", head.tags()),
                        "Cache-Groups",
                        "\"" + String.join("\",\"", head.groups()) + "\"");
        var freshness =
                new Freshness(
                        time.now(),
                        Duration.ZERO,
                        Duration.ofHours(1),
                        Duration.ofHours(1),
                        Duration.ZERO,
                        Duration.ZERO,
                        false);
        return new StoredResponse(
                StoredContent.of(
                        head.key(),
                        new ResponseHead(200, "", fields),
                        StoredHead.NONE,
                        Unpooled.EMPTY_BUFFER,
                        freshness,
                        SelectingFields.EMPTY,
                        true));
    }

    /** Groups are tags too. */
    private static Set<String> allTags(Head head) {
        var all = new HashSet<>(head.tags());
        all.addAll(head.groups());
        return all;
    }

    private static CacheKey key(Random random) {
        return new CacheKey(Scheme.HTTP, one(HOSTS, random), one(TARGETS, random));
    }

    private static String tag(Random random) {
        return one(TAGS, random);
    }

    private static String one(List<String> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }
}
