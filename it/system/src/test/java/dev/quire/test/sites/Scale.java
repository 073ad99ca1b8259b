package dev.quire.test.sites;

import java.time.Duration;

/**
 * How long pauses and files are.
 *
 * @param pause between two events, and of a long poll
 * @param origin timeouts of Quire's origin that are shorter than {@code pause}
 * @param fileBytes larger than the proxies store
 */
record Scale(Duration pause, Settings origin, long fileBytes, long uploadBytes) {
    private static final long MEBIBYTE = 1 << 20;

    /** For every build. The largest stored response is 16 MiB by default. */
    static final Scale SHORT =
            new Scale(
                    Duration.ofSeconds(2),
                    Settings.DEFAULT.withOrigin(
                            "first-byte-timeout: 1s, between-bytes-timeout: 1s"),
                    20 * MEBIBYTE,
                    20 * MEBIBYTE);

    /** The pause is longer than Quire's default timeouts. */
    static final Scale FULL =
            new Scale(Duration.ofSeconds(17), Settings.DEFAULT, 300 * MEBIBYTE, 200 * MEBIBYTE);
}
