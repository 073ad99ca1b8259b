package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The names of the files of a log. Files with other names are never touched. */
record LogDirectory(Path path, FileAccess access, TierFormat format) {
    /** To be incremented when the layout or the meaning of a file changes. */
    static final int VERSION = 1;

    private static final Pattern OURS = Pattern.compile("(\\d{6,19})\\.(seg|idx)");
    private static final Pattern SEGMENT = Pattern.compile("(\\d{6,19})\\.seg");

    LogDirectory(Path path, FileAccess access) {
        this(path, access, new TierFormat(path, access));
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
                    access.delete(file);
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

    /** The name of the file of a segment. */
    static String segmentName(long number) {
        return digits(number) + ".seg";
    }

    Path segment(long number) {
        return path.resolve(segmentName(number));
    }

    Path index(long number) {
        return path.resolve(digits(number) + ".idx");
    }

    /** Deletes both files of a segment, the index file first: it is never left alone. */
    void delete(long number) throws IOException {
        access.delete(index(number));
        access.delete(segment(number));
    }

    /** Deletes segments, from the oldest on, until the file system has space for {@code bytes}. */
    void makeSpace(long bytes) throws IOException {
        var oldest = segments().iterator();
        // Space that a deletion frees may be seen later, or once no process has the file open.
        long missing = oldest.hasNext() ? bytes - access.space(path).usableBytes() : 0;
        while (oldest.hasNext() && missing > 0) {
            long number = oldest.next();
            missing -= bytes(number);
            delete(number);
        }
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
