package dev.quire.proxy.disk;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.expression.SearchPattern;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import dev.quire.core.rule.TagsPattern;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanPatterns;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationEntry.GroupsEntry;
import dev.quire.proxy.cache.InvalidationEntry.LiftEntry;
import dev.quire.proxy.cache.InvalidationEntry.PurgeEntry;
import dev.quire.proxy.cache.InvalidationEntry.UrlEntry;
import dev.quire.proxy.cache.InvalidationState.Epoch;
import dev.quire.proxy.cache.InvalidationState.Position;
import dev.quire.proxy.cache.Purge;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** The serial form of {@link JournalItem}s. */
final class JournalBytes {

    /*
     * An item is its kind, 1 byte, and its values. Numbers are big-endian. A text is its length in
     * bytes, 4 bytes, negative if it is UTF-16 because a char does not fit into one byte. A list is
     * its size, 4 bytes, and its elements. A value that may be absent follows a byte 0 or 1.
     */

    private static final int BEGIN = 1;
    private static final int EPOCH = 2;
    private static final int POSITIONS = 3;
    private static final int PURGE = 4;
    private static final int URL = 5;
    private static final int GROUPS = 6;
    private static final int BAN = 7;
    private static final int LIFT = 8;

    private static final int POSITION_BYTES = Integer.BYTES + Long.BYTES;
    private static final int ONE_BYTE = 0xff;

    private final ByteBuf bytes;
    private final Clocks clocks;

    private JournalBytes(ByteBuf bytes, Clocks clocks) {
        this.bytes = bytes;
        this.clocks = clocks;
    }

    static void write(JournalItem item, Clocks clocks, ByteBuf out) {
        new JournalBytes(out, clocks).write(item);
    }

    /**
     * Reads one item, which must take all of {@code in}.
     *
     * @throws IllegalArgumentException if no writer could have written it
     */
    static JournalItem read(ByteBuf in, Clocks clocks) {
        var item = new JournalBytes(in, clocks).item();
        require(!in.isReadable());
        return item;
    }

    private void write(JournalItem item) {
        switch (item) {
            case JournalItem.Begin begin ->
                    bytes.writeByte(BEGIN)
                            .writeLong(begin.seed())
                            .writeLong(begin.factor())
                            .writeLong(begin.newest())
                            .writeLong(begin.floor());
            case JournalItem.EpochItem(var epoch) ->
                    bytes.writeByte(EPOCH).writeLong(epoch.name()).writeLong(epoch.before());
            case JournalItem.Positions(var all) -> {
                bytes.writeByte(POSITIONS);
                writeAll(
                        all,
                        position -> bytes.writeInt(position.hash()).writeLong(position.number()));
            }
            case JournalItem.Entry(var number, var entry) -> write(number, entry);
            case JournalItem.Note(var note) -> LogNoteBytes.write(note, bytes);
        }
    }

    private void write(long number, InvalidationEntry entry) {
        int kind =
                switch (entry) {
                    case PurgeEntry purge -> PURGE;
                    case UrlEntry url -> URL;
                    case GroupsEntry groups -> GROUPS;
                    case BanEntry ban -> BAN;
                    case LiftEntry lift -> LIFT;
                };
        bytes.writeByte(kind).writeLong(number).writeLong(clocks.wallMicros(entry.since()));
        switch (entry) {
            case PurgeEntry(var purge, var isSoft, var since) -> {
                bytes.writeBoolean(isSoft);
                writeAll(purge.keys(), this::writeUrl);
                writeAll(purge.tags(), this::writeText);
                writeAll(purge.hosts(), this::writeText);
                writeAll(purge.paths(), path -> writeText(path.text()));
            }
            case UrlEntry(var url, var since) -> writeUrl(url);
            case GroupsEntry(var scheme, var authority, var names, var since) -> {
                bytes.writeBoolean(scheme == Scheme.HTTPS);
                writeText(authority);
                writeAll(names, this::writeText);
            }
            case BanEntry(var condition, var since) -> writeCondition(condition);
            case LiftEntry(var ban, var since) -> bytes.writeLong(ban);
        }
    }

    private JournalItem item() {
        int kind = unsigned();
        return switch (kind) {
            case BEGIN -> new JournalItem.Begin(number(), number(), position(), position());
            case EPOCH -> new JournalItem.EpochItem(new Epoch(number(), position()));
            case POSITIONS ->
                    new JournalItem.Positions(
                            all(POSITION_BYTES, () -> new Position(size(), position())));
            case PURGE, URL, GROUPS, BAN, LIFT -> {
                long number = position();
                var since = Optional.ofNullable(clocks.since(number()));
                var entry = entry(kind, since.orElse(clocks.now()));
                yield new JournalItem.Entry(number, since.isEmpty() ? entry.ofAnyAge() : entry);
            }
            case LogNoteBytes.BEGUN, LogNoteBytes.READ, LogNoteBytes.OWN ->
                    new JournalItem.Note(LogNoteBytes.read(kind, bytes));
            default -> throw malformed();
        };
    }

    private InvalidationEntry entry(int kind, Instant since) {
        return switch (kind) {
            case PURGE -> {
                boolean isSoft = flag();
                var purge =
                        new Purge(
                                set(this::url),
                                set(this::text),
                                set(this::text),
                                list(() -> PathPattern.ofDecoded(text())));
                yield new PurgeEntry(purge, isSoft, since);
            }
            case URL -> new UrlEntry(url(), since);
            case GROUPS -> new GroupsEntry(scheme(), text(), set(this::text), since);
            case BAN -> new BanEntry(condition(), since);
            default -> new LiftEntry(position(), since);
        };
    }

    private void writeUrl(CacheKey url) {
        bytes.writeBoolean(url.scheme() == Scheme.HTTPS);
        writeText(url.authority());
        writeText(url.target());
    }

    private CacheKey url() {
        var scheme = scheme();
        var authority = text();
        var url = new CacheKey(scheme, authority, text());
        require(url.authority().equals(authority));
        return url;
    }

    private Scheme scheme() {
        return flag() ? Scheme.HTTPS : Scheme.HTTP;
    }

    private void writeCondition(BanCondition condition) {
        writeOptional(condition.host(), HostPattern::text);
        writePattern(condition.path());
        writeOptional(condition.tag(), tag -> tag);
        writeOptional(condition.contentType(), type -> type);
        writeIf(condition.status(), (out, status) -> out.writeShort(status));
        writeIf(
                condition.olderThan(),
                (out, age) -> out.writeLong(age.getSeconds()).writeInt(age.getNano()));
        writePattern(condition.patterns().host());
        writePattern(condition.patterns().url());
        writePattern(condition.patterns().contentType());
        writeOptional(condition.patterns().tags(), TagsPattern::text);
    }

    private BanCondition condition() {
        return new BanCondition(
                optional(() -> new HostPattern(text())),
                optional(this::pattern),
                optional(this::text),
                optional(this::text),
                optional(this::status),
                optional(this::duration),
                new BanPatterns(
                        optional(this::pattern),
                        optional(this::pattern),
                        optional(this::pattern),
                        optional(() ->
                                TagsPattern.of(
                                        text(),
                                        BanCondition.MAX_EXPRESSION,
                                        BanCondition.MAX_PROGRAM))));
    }

    private void writePattern(Optional<SearchPattern> pattern) {
        writeIf(
                pattern,
                (out, value) -> {
                    out.writeInt(value.flags());
                    writeText(value.text());
                });
    }

    private SearchPattern pattern() {
        int flags = (int) unsignedInt();
        var text = text();
        require(text.length() <= BanCondition.MAX_EXPRESSION);
        return List.<Function<String, SearchPattern>>of(
                        each -> SearchPattern.of(each, BanCondition.MAX_PROGRAM),
                        each -> SearchPattern.ignoringCase(each, BanCondition.MAX_PROGRAM))
                .stream()
                .map(compiler -> compiler.apply(text))
                .filter(pattern -> pattern.flags() == flags)
                .findFirst()
                .orElseThrow(JournalBytes::malformed);
    }

    private int status() {
        require(bytes.readableBytes() >= Short.BYTES);
        return bytes.readUnsignedShort();
    }

    private Duration duration() {
        long seconds = number();
        long nanos = unsignedInt();
        require(seconds >= 0 && nanos < 1_000_000_000);
        return Duration.ofSeconds(seconds, nanos);
    }

    private <T> void writeIf(Optional<T> value, BiConsumer<ByteBuf, T> writer) {
        bytes.writeBoolean(value.isPresent());
        value.ifPresent(present -> writer.accept(bytes, present));
    }

    private <T> void writeOptional(Optional<T> value, Function<T, String> text) {
        writeIf(value, (out, present) -> writeText(text.apply(present)));
    }

    private <T> Optional<T> optional(Reader<T> reader) {
        return flag() ? Optional.of(reader.read()) : Optional.empty();
    }

    private <T> void writeAll(Collection<T> all, Writer<T> writer) {
        bytes.writeInt(all.size());
        all.forEach(writer::write);
    }

    private interface Writer<T> {
        void write(T value);
    }

    private interface Reader<T> {
        T read();
    }

    private <T> Set<T> set(Reader<T> reader) {
        var list = list(reader);
        var set = new HashSet<>(list);
        require(set.size() == list.size());
        return set;
    }

    /** A list of values with texts. */
    private <T> List<T> list(Reader<T> reader) {
        return all(Integer.BYTES, reader);
    }

    /**
     * @param leastBytes of an element: so no size allocates more than the bytes are worth
     */
    private <T> List<T> all(int leastBytes, Reader<T> reader) {
        int size = size();
        require(size <= bytes.readableBytes() / leastBytes);
        var all = new ArrayList<T>(size);
        for (int i = 0; i < size; i++) {
            all.add(reader.read());
        }
        return all;
    }

    private void writeText(String text) {
        if (text.chars().anyMatch(c -> c > ONE_BYTE)) {
            // Char by char: an encoder replaces surrogates without a partner.
            bytes.writeInt(-Character.BYTES * text.length());
            text.chars().forEach(bytes::writeChar);
        } else {
            bytes.writeInt(text.length()).writeBytes(text.getBytes(ISO_8859_1));
        }
    }

    private String text() {
        require(bytes.readableBytes() >= Integer.BYTES);
        int length = bytes.readInt();
        if (length >= 0) {
            require(length <= bytes.readableBytes());
            return bytes.readCharSequence(length, ISO_8859_1).toString();
        }
        require(length % Character.BYTES == 0 && -(long) length <= bytes.readableBytes());
        var chars = new char[-length / Character.BYTES];
        boolean isWide = false;
        for (int i = 0; i < chars.length; i++) {
            chars[i] = bytes.readChar();
            isWide |= chars[i] > ONE_BYTE;
        }
        require(isWide);
        return new String(chars);
    }

    private boolean flag() {
        int flag = unsigned();
        require(flag <= 1);
        return flag == 1;
    }

    private int unsigned() {
        require(bytes.isReadable());
        return bytes.readUnsignedByte();
    }

    private int size() {
        long size = unsignedInt();
        require(size <= Integer.MAX_VALUE);
        return (int) size;
    }

    private long unsignedInt() {
        require(bytes.readableBytes() >= Integer.BYTES);
        return bytes.readUnsignedInt();
    }

    private long number() {
        require(bytes.readableBytes() >= Long.BYTES);
        return bytes.readLong();
    }

    private long position() {
        long position = number();
        require(position >= 0);
        return position;
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw malformed();
        }
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException("malformed");
    }
}
