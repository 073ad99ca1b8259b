package dev.quire.bench.disk;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RecordLog;
import dev.quire.proxy.disk.SegmentLog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.commons.cli.Options;

/** Fills a segment log, opens it again and reads from it; reports times and memory. */
final class DiskLog {
    private static final long SIZE = 64L << 30;
    private static final long INDEX = 128L << 20;
    private static final int READS = 1_000_000;
    private static final int OPENINGS = 3;
    private static final double NANOS_A_MICRO = 1_000;
    private static final double NANOS_A_SECOND = 1_000_000_000;
    private static final double MIB = 1 << 20;

    private final Path directory;
    private final int objects;
    private final int bytes;

    private DiskLog(Path directory, int objects, int bytes) {
        this.directory = directory;
        this.objects = objects;
        this.bytes = bytes;
    }

    /** Takes options. The exit status is 2 for errors in them. */
    public static void main(String[] arguments)
            throws IOException, ExecutionException, InterruptedException {
        System.exit(execute(List.of(arguments)));
    }

    private static int execute(List<String> words)
            throws IOException, ExecutionException, InterruptedException {
        try {
            var read =
                    Arguments.read(
                            "bin/bench disk",
                            "Measures times and memory of the log of the disk tier.",
                            options(),
                            words);
            if (read.isPresent()) {
                measure(read.get());
            }
            return 0;
        } catch (CannotMeasure e) {
            return e.report();
        }
    }

    private static Options options() {
        return new Options()
                .addOption(Arguments.taking("objects", "N", "Number of records (default 1000000)."))
                .addOption(Arguments.taking("bytes", "N", "Length of a record (default 1024)."))
                .addOption(Arguments.takingDirectory());
    }

    private static void measure(Arguments arguments)
            throws CannotMeasure, IOException, ExecutionException, InterruptedException {
        int objects = arguments.number("objects", 1_000_000, 1, 7_000_000);
        int bytes = arguments.number("bytes", 1024, 4, 100 << 20);
        var directory = Files.createTempDirectory(arguments.directory(), "quire-disk");
        try {
            new DiskLog(directory, objects, bytes).run();
        } finally {
            delete(directory);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private SegmentLog open() throws IOException {
        return SegmentLog.open(
                directory,
                SIZE,
                INDEX,
                new UUID(1, 2),
                () -> 1,
                (id, record) -> new RecordLog.Reinserted(1, record.retain()),
                Clock.systemUTC());
    }

    private static RecordHash id(long number) {
        var random = new SplittableRandom(number);
        return new RecordHash(random.nextLong(), random.nextLong());
    }

    private void run() throws IOException, ExecutionException, InterruptedException {
        try (var log = open()) {
            append(log);
            var stats = log.stats();
            System.out.printf(
                    "index        %.1f bytes of memory an object, %d objects in %d segments%n",
                    (double) stats.indexBytes() / stats.objects(),
                    stats.objects(),
                    stats.segments());
        }
        for (int i = 0; i < OPENINGS; i++) {
            reopen("index files");
        }
        reads(1);
        reads(2);
        try (var files = Files.newDirectoryStream(directory, "*.idx")) {
            for (var file : files) {
                Files.delete(file);
            }
        }
        reopen("segments alone");
    }

    private void append(SegmentLog log) {
        var record = Unpooled.directBuffer(bytes, bytes);
        var random = new SplittableRandom(1);
        while (record.isWritable()) {
            record.writeByte(random.nextInt());
        }
        long start = System.nanoTime();
        for (int i = 0; i < objects; i++) {
            record.setInt(0, i);
            if (!log.append(id(i), 1, Long.MAX_VALUE, record)) {
                throw new IllegalStateException(log.stats().toString());
            }
        }
        double nanos = System.nanoTime() - start;
        System.out.printf(
                "append       %.2f us a record of %d bytes, %.0f MiB/s%n",
                nanos / NANOS_A_MICRO / objects,
                bytes,
                bytes * (double) objects / MIB / (nanos / NANOS_A_SECOND));
        record.release();
    }

    private void reopen(String from) throws IOException {
        long start = System.nanoTime();
        try (var log = open()) {
            double seconds = (System.nanoTime() - start) / NANOS_A_SECOND;
            System.out.printf(
                    "open         %.2f s, %d objects, from %s%n",
                    seconds, log.stats().objects(), from);
        }
    }

    private void reads(int threads) throws IOException, ExecutionException, InterruptedException {
        try (var log = open();
                var pool = Executors.newFixedThreadPool(threads)) {
            var done = new ArrayList<Future<Long>>();
            for (int i = 0; i < threads; i++) {
                int seed = i;
                done.add(pool.submit(() -> read(log, seed)));
            }
            long nanos = 0;
            for (var each : done) {
                nanos = Math.max(nanos, each.get());
            }
            System.out.printf(
                    "random read  %.2f us, %d threads%n", nanos / NANOS_A_MICRO / READS, threads);
        }
    }

    /** Returns the time for the reads of one thread. */
    private long read(SegmentLog log, int seed) {
        var random = new SplittableRandom(seed);
        long nanos = 0;
        for (int round = 0; round < 2; round++) {
            // The first round is for the compiler.
            long start = System.nanoTime();
            for (int i = 0; i < READS; i++) {
                int number = random.nextInt(objects);
                var record = read(log, id(number));
                if (record.getInt(0) != number) {
                    throw new IllegalStateException("a wrong record");
                }
                record.release();
            }
            nanos = System.nanoTime() - start;
        }
        return nanos;
    }

    private static ByteBuf read(SegmentLog log, RecordHash id) {
        var record = log.read(id);
        if (record == null) {
            throw new IllegalStateException("a lost or damaged record");
        }
        return record;
    }
}
