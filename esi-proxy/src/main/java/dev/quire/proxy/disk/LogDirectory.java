package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The names of the files of a log. Files with other names are never touched. */
record LogDirectory(Path path, FileAccess access) {
    /** To be incremented when the layout or the meaning of a file changes. */
    static final int VERSION = 1;

    private static final Pattern OURS = Pattern.compile("(\\d{6,19})\\.(seg|idx)");
    private static final Pattern SEGMENT = Pattern.compile("(\\d{6,19})\\.seg");

    private static final String LOCK = "lock";
    private static final String FORMAT = "format";

    /** QUIRELOG. */
    private static final long MAGIC = 0x51554952_454c4f47L;

    private static final int FORMAT_BYTES = 32;

    /**
     * Locks the directory until the file is closed.
     *
     * @throws IOException if another log, of this process or another, has locked it
     */
    FileChannel lock() throws IOException {
        Files.createDirectories(path);
        var file = FileChannel.open(path.resolve(LOCK), FileAccess.OPTIONS);
        try {
            if (tryLock(file) == null) {
                throw new IOException(path + " is in use by another process or another tier");
            }
            return file;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    /** Returns whether the files belong to {@code tier} and have the version of this class. */
    boolean isOf(UUID tier) throws IOException {
        if (!Files.exists(path.resolve(FORMAT))) {
            return false;
        }
        return ByteBuffer.wrap(Files.readAllBytes(path.resolve(FORMAT))).equals(format(tier));
    }

    void writeFormat(UUID tier) throws IOException {
        try (var file = access.open(path.resolve(FORMAT))) {
            file.truncate(FORMAT_BYTES);
            Checks.writeFully(file, format(tier), 0);
        }
    }

    /** Makes the next start delete all segments. */
    void deleteFormat() throws IOException {
        Files.deleteIfExists(path.resolve(FORMAT));
    }

    private static ByteBuffer format(UUID tier) {
        var out = ByteBuffer.allocate(FORMAT_BYTES);
        out.putLong(MAGIC).putInt(VERSION);
        out.putLong(tier.getMostSignificantBits()).putLong(tier.getLeastSignificantBits());
        return out.putInt(Checks.check(out, 0, FORMAT_BYTES - Integer.BYTES, 0, 0)).flip();
    }

    /** Returns the numbers of the segments. */
    TreeSet<Long> segments() throws IOException {
        var numbers = new TreeSet<Long>();
        try (var files = Files.newDirectoryStream(path)) {
            for (var file : files) {
                var name = SEGMENT.matcher(file.getFileName().toString());
                if (name.matches() && isFile(file) && isNumber(name.group(1))) {
                    numbers.add(Long.parseLong(name.group(1)));
                }
            }
        }
        return numbers;
    }

    void deleteAll() throws IOException {
        try (var files = Files.newDirectoryStream(path)) {
            for (var file : files) {
                var name = OURS.matcher(file.getFileName().toString());
                if (name.matches() && isFile(file) && isNumber(name.group(1))) {
                    Files.delete(file);
                }
            }
        }
    }

    private static boolean isFile(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns whether this class writes the number like that. */
    private static boolean isNumber(String digits) {
        try {
            return digits.equals(digits(Long.parseLong(digits)));
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static String digits(long number) {
        return "%06d".formatted(number);
    }

    Path segment(long number) {
        return path.resolve(digits(number) + ".seg");
    }

    Path index(long number) {
        return path.resolve(digits(number) + ".idx");
    }

    /** Deletes both files of a segment, the index file first: it is never left alone. */
    void delete(long number) throws IOException {
        Files.deleteIfExists(index(number));
        Files.deleteIfExists(segment(number));
    }

    /** The length of both files of a segment. */
    long bytes(long number) throws IOException {
        var index = index(number);
        return Files.size(segment(number)) + (Files.exists(index) ? Files.size(index) : 0);
    }

    /** The length of all files. */
    long bytes() throws IOException {
        long total = 0;
        for (long number : segments()) {
            total += bytes(number);
        }
        return total;
    }
}
