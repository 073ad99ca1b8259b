package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.SearchPattern;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import dev.quire.core.rule.TagsPattern;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanPatterns;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogState;
import dev.quire.proxy.cache.Purge;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Journals of any entries. */
class JournalPropertyTest {

    @Property(tries = 2_000)
    void anyEntryIsReadAsItWasWritten(
            @ForAll("entries") InvalidationEntry entry, @ForAll @IntRange(min = 1) int number) {
        var item = new JournalItem.Entry(number, entry);

        assertThat(HostileJournal.read(HostileJournal.written(item))).isEqualTo(item);
    }

    @Property(tries = 1_000)
    void changedItemsDoNoHarm(
            @ForAll("entries") InvalidationEntry entry,
            @ForAll @IntRange(max = 1 << 16) int at,
            @ForAll byte value) {
        var bytes = HostileJournal.written(new JournalItem.Entry(1, entry));
        bytes[at % bytes.length] = value;

        HostileJournal.run(bytes);
    }

    @Property(tries = 1_000)
    void anyNoteIsReadAsItWasWritten(@ForAll("notes") LogNote note) {
        var item = new JournalItem.Note(note);

        assertThat(HostileJournal.read(HostileJournal.written(item))).isEqualTo(item);
    }

    @Property(tries = 2_000)
    void changedNotesDoNoHarm(
            @ForAll("notes") LogNote note,
            @ForAll @IntRange(max = 1 << 16) int at,
            @ForAll byte value) {
        var bytes = HostileJournal.written(new JournalItem.Note(note));
        bytes[at % bytes.length] = value;

        HostileJournal.run(bytes);
    }

    @Provide
    Arbitrary<LogNote> notes() {
        var numbers = Arbitraries.longs().between(0, 1L << 40);
        var places = Combinators.combine(numbers, numbers).as(LogState.Place::new);
        var ownIds = Combinators.combine(numbers, numbers).as(LogNote.OwnId::new);
        var own =
                Combinators.combine(
                                numbers,
                                numbers,
                                numbers.set().ofMaxSize(3),
                                Arbitraries.bytes().array(byte[].class).ofMaxSize(9))
                        .as((number, id, all, bytes) ->
                                new LogState.Own(
                                        number,
                                        id,
                                        all.stream().mapToLong(Long::longValue).sorted().toArray(),
                                        bytes));
        var epochs = Arbitraries.longs().filter(epoch -> epoch != 0);
        return Arbitraries.oneOf(
                Combinators.combine(epochs, numbers, numbers).as(LogNote.Begun::new),
                Combinators.combine(
                                epochs,
                                numbers,
                                numbers,
                                places.list().ofMaxSize(3),
                                ownIds.list().ofMaxSize(3))
                        .as(LogNote.Read::new),
                own.map(LogNote.Made::new));
    }

    @Provide
    Arbitrary<InvalidationEntry> entries() {
        return Arbitraries.oneOf(purges(), urls(), groups(), bans(), lifts());
    }

    private static Arbitrary<InvalidationEntry> purges() {
        return Combinators.combine(
                        keys().set().ofMaxSize(4),
                        texts(20).set().ofMaxSize(4),
                        texts(20).set().ofMaxSize(4),
                        texts(20).map(text -> new PathPattern("/" + text)).list().ofMaxSize(4),
                        Arbitraries.of(true, false),
                        times())
                .as((keys, tags, hosts, paths, isSoft, since) ->
                        new InvalidationEntry.PurgeEntry(
                                new Purge(keys, tags, hosts, paths), isSoft, since));
    }

    private static Arbitrary<InvalidationEntry> urls() {
        return Combinators.combine(keys(), times()).as(InvalidationEntry.UrlEntry::new);
    }

    private static Arbitrary<InvalidationEntry> groups() {
        return Combinators.combine(
                        Arbitraries.of(Scheme.class),
                        texts(20),
                        texts(20).set().ofMaxSize(4),
                        times())
                .as(InvalidationEntry.GroupsEntry::new);
    }

    private static Arbitrary<InvalidationEntry> bans() {
        var hosts = Arbitraries.of("*", "*.example", "news.example:81").map(HostPattern::new);
        var ages = Arbitraries.longs().between(0, 1L << 50).map(Duration::ofNanos);
        return Combinators.combine(
                        hosts.optional(),
                        patterns(false).optional(),
                        texts(20).optional(),
                        Arbitraries.integers().between(200, 999).optional(),
                        ages.optional(),
                        patterns(),
                        times())
                .as((host, path, tag, status, age, patterns, since) ->
                        new InvalidationEntry.BanEntry(
                                new BanCondition(
                                        host,
                                        path,
                                        tag,
                                        Optional.of("text/html"),
                                        status,
                                        age,
                                        patterns),
                                since));
    }

    private static Arbitrary<BanPatterns> patterns() {
        return Combinators.combine(
                        patterns(true).optional(),
                        patterns(false).optional(),
                        patterns(true).optional(),
                        Arbitraries.of("(^|,)(a\\.b|c)(,|$)", "^x")
                                .map(text -> TagsPattern.of(text, 512, 1_000))
                                .optional())
                .as(BanPatterns::new);
    }

    private static Arbitrary<SearchPattern> patterns(boolean isInAnyCase) {
        return Arbitraries.of("^/a.*b$", "x|y", "[^\u4e00]+", "\\.(png|jpe?g)$")
                .map(text ->
                        isInAnyCase
                                ? SearchPattern.ignoringCase(text, 1_000)
                                : SearchPattern.of(text, 1_000));
    }

    private static Arbitrary<InvalidationEntry> lifts() {
        return Combinators.combine(Arbitraries.longs().between(0, Long.MAX_VALUE), times())
                .as(InvalidationEntry.LiftEntry::new);
    }

    private static Arbitrary<CacheKey> keys() {
        return Combinators.combine(
                        Arbitraries.of(Scheme.class),
                        Arbitraries.of("news.example", "a:81", "[::1]:82"),
                        texts(30))
                .as((scheme, authority, target) -> new CacheKey(scheme, authority, "/" + target));
    }

    private static Arbitrary<String> texts(int most) {
        return Arbitraries.strings()
                .withCharRange(' ', '\u00ff')
                .withChars('%', '*', '\u0000', '\u4e00', '\ud800')
                .ofMaxLength(most);
    }

    /** In whole microseconds, up to now. */
    private static Arbitrary<Instant> times() {
        return Arbitraries.longs()
                .between(0, 1L << 50)
                .map(micros -> Entries.CLOCKS.now().minus(Duration.ofNanos(1_000 * micros)));
    }
}
