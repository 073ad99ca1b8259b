package dev.quire.news.blog;

import java.lang.management.ManagementFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * The CPU time that a theme with plugins takes for each page ({@code news.blog.cpu}; 0 for none).
 * It computes digests; their number is found at the start.
 */
@Component
class Theme {
    private static final Logger log = LoggerFactory.getLogger(Theme.class);
    private static final int BLOCK = 4096;
    private static final int FIRST = 200;
    private static final int TRIALS = 31;
    private static final int ATTEMPTS = 4;

    private final int digests;

    Theme(@Value("${news.blog.cpu}") Duration cpu) {
        int found = 0;
        if (cpu.isPositive()) {
            found = FIRST;
            double nanos = 0;
            // The first attempts run code that is not compiled.
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                nanos = median(found);
                found = (int) Math.max(1, Math.round(found * cpu.toNanos() / nanos));
            }
            log.info("{} digests take {} ms", found, cpu.toMillis());
        }
        digests = found;
    }

    /** Takes the CPU time. */
    void work() {
        compute(digests);
    }

    private static double median(int digests) {
        var threads = ManagementFactory.getThreadMXBean();
        return LongStream.range(0, TRIALS)
                .map(trial -> {
                    long begin = threads.getCurrentThreadCpuTime();
                    compute(digests);
                    return threads.getCurrentThreadCpuTime() - begin;
                })
                .sorted()
                .skip(TRIALS / 2)
                .findFirst()
                .orElseThrow();
    }

    private static void compute(int digests) {
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            var block = new byte[BLOCK];
            for (int digest = 0; digest < digests; digest++) {
                var found = sha.digest(block);
                System.arraycopy(found, 0, block, 0, found.length);
            }
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
