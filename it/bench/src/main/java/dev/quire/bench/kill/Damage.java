package dev.quire.bench.kill;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Ways to damage the files of a disk tier while no process uses them. */
enum Damage {
    /** A file ends earlier. */
    TRUNCATED,
    /** Some bits of a file are flipped. */
    FLIPPED,
    /** Some bits of a file of records are flipped. */
    RECORDS_FLIPPED,
    /** An index file is missing. */
    INDEX_DELETED,
    /** The journal of invalidations ends earlier. */
    JOURNAL_CUT,
    /** A file of the journal is missing. */
    JOURNAL_DELETED,
    /** The journal is that of another tier. */
    JOURNAL_FOREIGN;

    /** Damage of the journal empties the tier, which hides other damage. */
    private static final List<Damage> BY_FREQUENCY =
            List.of(
                    TRUNCATED,
                    TRUNCATED,
                    FLIPPED,
                    FLIPPED,
                    RECORDS_FLIPPED,
                    RECORDS_FLIPPED,
                    RECORDS_FLIPPED,
                    RECORDS_FLIPPED,
                    INDEX_DELETED,
                    JOURNAL_CUT,
                    JOURNAL_DELETED,
                    JOURNAL_FOREIGN);

    private static final String JOURNAL = "journal.";
    private static final int MOST_KINDS = 2;
    private static final int MOST_BITS = 50;
    private static final int NEAR_START_BYTES = 1 << 12;
    private static final int NEAR_END_BYTES = 1 << 18;

    /**
     * Damages the files in {@code directory} in one or two ways, which are returned.
     *
     * @param foreign a directory with the journal of another tier, or an absent one
     */
    static Set<Damage> damage(Path directory, Path foreign, SplittableRandom random)
            throws IOException {
        var kinds = EnumSet.noneOf(Damage.class);
        int count = 1 + random.nextInt(MOST_KINDS);
        for (int i = 0; i < count; i++) {
            var kind = BY_FREQUENCY.get(random.nextInt(BY_FREQUENCY.size()));
            if (kind.applyTo(directory, foreign, random)) {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    /** Copies the journal of the tier in {@code directory} into the directory {@code to}. */
    static void copyJournal(Path directory, Path to) throws IOException {
        Files.createDirectories(to);
        for (var file : JOURNAL_FOREIGN.files(directory)) {
            Files.copy(
                    file,
                    to.resolve(String.valueOf(file.getFileName())),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Returns whether there was a file to damage. */
    private boolean applyTo(Path directory, Path foreign, SplittableRandom random)
            throws IOException {
        var files = files(directory);
        if (files.isEmpty()) {
            return false;
        }
        var file = files.get(random.nextInt(files.size()));
        switch (this) {
            case TRUNCATED, JOURNAL_CUT -> cut(file, random);
            case FLIPPED, RECORDS_FLIPPED -> flip(file, random);
            case INDEX_DELETED, JOURNAL_DELETED -> Files.delete(file);
            case JOURNAL_FOREIGN -> {
                boolean isThere = Files.isDirectory(foreign);
                if (isThere) {
                    copyJournal(foreign, file.resolveSibling("."));
                }
                return isThere;
            }
        }
        return true;
    }

    /** The files that this kind may damage, in a fixed order. */
    private List<Path> files(Path directory) throws IOException {
        try (var all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> {
                        var name = String.valueOf(file.getFileName());
                        return switch (this) {
                            case TRUNCATED, FLIPPED -> !name.equals("lock");
                            case RECORDS_FLIPPED -> name.endsWith(".seg");
                            case INDEX_DELETED -> name.endsWith(".idx");
                            case JOURNAL_CUT, JOURNAL_DELETED, JOURNAL_FOREIGN ->
                                    name.startsWith(JOURNAL);
                        };
                    })
                    .sorted()
                    .toList();
        }
    }

    private static void cut(Path file, SplittableRandom random) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(Math.max(0, place(channel.size(), random)));
        }
    }

    private static void flip(Path file, SplittableRandom random) throws IOException {
        try (var channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            int bits = channel.size() == 0 ? 0 : 1 + random.nextInt(MOST_BITS);
            for (int i = 0; i < bits; i++) {
                long at = place(channel.size(), random);
                var one = ByteBuffer.allocate(1);
                channel.read(one, at);
                one.put(0, (byte) (one.get(0) ^ 1 << random.nextInt(Byte.SIZE))).rewind();
                channel.write(one, at);
            }
        }
    }

    /**
     * A place in a file: often near its start, since a journal ends in zeros, or near its end,
     * where the newest records are.
     */
    private static long place(long size, SplittableRandom random) {
        long place = size == 0 ? 0 : random.nextLong(size);
        return switch (random.nextInt(3)) {
            case 0 -> place % NEAR_START_BYTES;
            case 1 -> size - 1 - Math.min(size - 1, place % NEAR_END_BYTES);
            default -> place;
        };
    }
}
