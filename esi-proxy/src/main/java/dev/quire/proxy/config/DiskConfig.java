package dev.quire.proxy.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The {@code disk} section.
 *
 * @param path the directory of the disk tier; empty for none
 * @param sizeBytes limit of its files
 * @param indexBytes limit of its index, in memory
 * @param minLifetime responses with a shorter remaining lifetime are not written
 * @param writeBytes limit of writing, in bytes a second
 * @param threads the number of threads that read
 * @param timeout how long a request waits for a read
 * @param fileFromBytes a response of so many bytes is sent from its file, if that is possible
 */
public record DiskConfig(
        Optional<Path> path,
        long sizeBytes,
        long indexBytes,
        Duration minLifetime,
        long writeBytes,
        int threads,
        Duration timeout,
        long fileFromBytes) {

    /** Without a disk tier. */
    public static final DiskConfig DEFAULTS =
            new DiskConfig(
                    Optional.empty(),
                    20L << 30,
                    128L << 20,
                    Duration.ofSeconds(10),
                    64L << 20,
                    4,
                    Duration.ofMillis(100),
                    16L << 10);

    private static final String PATH = "path";
    private static final ValueParser<Long> SIZE = ValueParser.bytes(16L << 20);
    private static final String SIZE_KEY = "size";
    private static final ValueParser<Long> INDEX = ValueParser.bytes(1L << 20);
    private static final String INDEX_KEY = "index";
    private static final ValueParser<Integer> THREADS = ValueParser.number(1, 64);
    private static final String THREADS_KEY = "io-threads";
    private static final ValueParser<Long> FILE_FROM = ValueParser.bytes(4L << 10);
    private static final ValueParser<Long> RATE = ValueParser.byteRate(1L << 20);

    /** Limit of the responses that wait to be written. */
    private static final long QUEUE_BYTES = 64L << 20;

    static DiskConfig read(Section section) {
        return new DiskConfig(
                section.optional(PATH, ValueParser.directory(section.directory())),
                section.value(SIZE_KEY, SIZE, DEFAULTS.sizeBytes()),
                section.value(INDEX_KEY, INDEX, DEFAULTS.indexBytes()),
                section.value(
                        "min-lifetime", ConfigurationReader.FROM_ZERO, DEFAULTS.minLifetime()),
                section.value("write-limit", RATE, DEFAULTS.writeBytes()),
                section.value(THREADS_KEY, THREADS, DEFAULTS.threads()),
                section.value("io-timeout", ConfigurationReader.POSITIVE, DEFAULTS.timeout()),
                section.value("sendfile-from", FILE_FROM, DEFAULTS.fileFromBytes()));
    }

    /** Whether there is a disk tier. */
    public boolean isOn() {
        return path.isPresent();
    }

    /** Limit of the responses that wait to be written, and of those being read. */
    public long queueBytes() {
        return isOn() ? QUEUE_BYTES : 0;
    }

    /** Limit of the memory for the heads of responses that are sent from files. */
    public long headBytes() {
        return indexBytes / 8;
    }

    /** The direct memory that it needs. */
    public long neededBytes() {
        return isOn() ? indexBytes + QUEUE_BYTES : 0;
    }

    /** Returns why a process with this section cannot continue with {@code next}. */
    public List<Problem> changesThatNeedRestart(DiskConfig next) {
        var problems = new ArrayList<Problem>();
        var changes = new RestartChanges<>("disk", this, next, problems);
        changes.add(PATH, DiskConfig::place);
        if (isOn() && next.isOn()) {
            changes.add(SIZE_KEY, disk -> SIZE.writing().apply(disk.sizeBytes));
            changes.add(INDEX_KEY, disk -> INDEX.writing().apply(disk.indexBytes));
            changes.add(THREADS_KEY, disk -> THREADS.writing().apply(disk.threads));
        }
        return problems;
    }

    /** The directory, in one of its notations. */
    private String place() {
        return path.map(it -> it.toAbsolutePath().normalize().toString()).orElse("null");
    }
}
