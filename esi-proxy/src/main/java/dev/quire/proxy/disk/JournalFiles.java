package dev.quire.proxy.disk;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.quire.proxy.cache.InvalidationState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;

/** The files of one journal in a directory. */
record JournalFiles(Path directory, UUID tier, Sync sync) {
    private static final String LOG = "journal.log";
    private static final String NEXT = "journal.new";
    private static final String END = "journal.end";

    /** Bytes between two syncs of a new file: more would delay those of the present one. */
    private static final int BYTES_AT_A_TIME = 1 << 20;

    /** Makes the bytes of a file durable. */
    interface Sync {
        void force(FileChannel file, boolean withMetadata) throws IOException;

        /** The same for the names in a directory. */
        default void directory(Path directory) throws IOException {
            try (var names = FileChannel.open(directory, READ)) {
                force(names, true);
            }
        }
    }

    /** Reads the journal; changes nothing. */
    JournalReading read(Clocks clocks) {
        if (Checks.isSpecial(directory.resolve(LOG)) || Checks.isSpecial(directory.resolve(END))) {
            return new JournalReading.Unusable(JournalLoss.UNREADABLE);
        }
        try (var log = FileChannel.open(directory.resolve(LOG), READ)) {
            var end = Unpooled.wrappedBuffer(Files.readAllBytes(directory.resolve(END)));
            return JournalFormat.read(length -> first(log, length), end, tier, clocks);
        } catch (NoSuchFileException e) {
            return new JournalReading.Unusable(JournalLoss.MISSING);
        } catch (IOException e) {
            return new JournalReading.Unusable(JournalLoss.UNREADABLE);
        }
    }

    /** The space that the next journal takes beside the present one. */
    long nextBytes() throws IOException {
        return Math.max(InvalidationJournal.COMPACT_BYTES, Files.size(directory.resolve(LOG)))
                + JournalFormat.END_BYTES;
    }

    private static ByteBuf first(FileChannel log, int length) throws IOException {
        var bytes = ByteBuffer.allocate((int) Math.min(length, log.size()));
        while (bytes.hasRemaining() && log.read(bytes, bytes.position()) >= 0) {
            // reads on
        }
        return Unpooled.wrappedBuffer(bytes.flip());
    }

    /**
     * Writes a journal of {@code state}, which takes effect when it is {@linkplain Written#replace
     * put in the place} of the present one. Long: it is written with zeros up to the size at which
     * it is compacted, so that later writes change no metadata of the file.
     */
    Written write(InvalidationState state, long generation, Clocks clocks) throws IOException {
        var frames = JournalFormat.header(tier, generation);
        JournalFormat.writeState(state, clocks, frames);
        var written = new Written(this, generation, frames.readableBytes());
        try {
            written.fill(frames);
            return written;
        } catch (IOException | RuntimeException | Error e) {
            written.close();
            throw e;
        }
    }

    /** One generation of the journal, open for writing. Confined to one thread, except its end. */
    static final class Written implements AutoCloseable {
        private static final Set<OpenOption> NEW = Set.of(CREATE, TRUNCATE_EXISTING, READ, WRITE);
        private static final Set<OpenOption> PRESENT = Set.of(CREATE, WRITE);

        private final JournalFiles files;
        private final long generation;
        private volatile long compactAt;
        private final FileChannel log;
        private final FileChannel ends;

        /** Behind the last frame. */
        private volatile long end;

        private Written(JournalFiles files, long generation, long end) throws IOException {
            this.files = files;
            this.generation = generation;
            this.end = end;
            this.compactAt = Math.max(InvalidationJournal.COMPACT_BYTES, 2 * end);
            // Another process may still have one open, if its disk hangs.
            Files.deleteIfExists(files.directory.resolve(NEXT));
            if (Checks.isSpecial(files.directory.resolve(END))) {
                Files.delete(files.directory.resolve(END));
            }
            this.log = OwnerOnly.open(files.directory.resolve(NEXT), NEW);
            try {
                this.ends = OwnerOnly.open(files.directory.resolve(END), PRESENT);
            } catch (IOException e) {
                log.close();
                throw e;
            }
        }

        long generation() {
            return generation;
        }

        long end() {
            return end;
        }

        boolean isCompactionDue() {
            return end >= compactAt;
        }

        /** After a failure. */
        void postponeCompaction() {
            compactAt = end + InvalidationJournal.COMPACT_BYTES;
        }

        private void fill(ByteBuf frames) throws IOException {
            for (long at = 0; at < compactAt; at += BYTES_AT_A_TIME) {
                var part = frames.readSlice(Math.min(BYTES_AT_A_TIME, frames.readableBytes()));
                write(part, at);
                long zerosAt = at + part.readableBytes();
                long zeros = Math.min(at + BYTES_AT_A_TIME, compactAt) - zerosAt;
                write(Unpooled.wrappedBuffer(new byte[(int) zeros]), zerosAt);
                files.sync.force(log, true);
            }
            if (ends.size() != JournalFormat.END_BYTES) {
                ends.truncate(JournalFormat.END_BYTES);
                write(ends, JournalFormat.emptyEnd(), 0);
            }
            files.sync.force(ends, true);
        }

        /** Adds what {@code former} has from {@code mark} on, and takes its place. */
        void replace(Written former, long mark) throws IOException {
            long at = end;
            for (long from = mark; from < former.end; ) {
                from += copied(former, from, at + from - mark);
            }
            end = at + former.end - mark;
            replace();
        }

        private long copied(Written former, long from, long to) throws IOException {
            long most = Math.min(former.end - from, BYTES_AT_A_TIME);
            var bytes = ByteBuffer.allocate((int) most);
            int read = former.log.read(bytes, from);
            if (read < 0) {
                throw new IOException("the journal ends before its end");
            }
            write(Unpooled.wrappedBuffer(bytes.flip()), to);
            return read;
        }

        /** Takes the place of the journal. */
        void replace() throws IOException {
            sync();
            Files.move(files.directory.resolve(NEXT), files.directory.resolve(LOG), ATOMIC_MOVE);
            files.sync.directory(files.directory);
        }

        /** Appends {@code frames}, and returns once they and the end are durable. */
        void append(ByteBuf frames) throws IOException {
            int length = frames.readableBytes();
            long start = end;
            write(frames, start);
            end = start + length;
            sync();
        }

        /** First the frames, so that an end that was written is never behind them. */
        private void sync() throws IOException {
            files.sync.force(log, false);
            write(
                    ends,
                    JournalFormat.slot(files.tier, generation, end),
                    JournalFormat.slotAt(generation));
            files.sync.force(ends, false);
        }

        private void write(ByteBuf bytes, long at) throws IOException {
            write(log, bytes, at);
        }

        private static void write(FileChannel file, ByteBuf bytes, long at) throws IOException {
            var rest = bytes.nioBuffer();
            while (rest.hasRemaining()) {
                file.write(rest, at + rest.position());
            }
        }

        @Override
        public void close() throws IOException {
            try (log;
                    ends) {
                // both
            }
        }
    }
}
