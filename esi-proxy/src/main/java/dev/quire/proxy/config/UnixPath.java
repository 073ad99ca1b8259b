package dev.quire.proxy.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A Unix socket to listen on.
 *
 * @param path absolute, without white space
 */
public record UnixPath(Path path) implements ListenAddress {
    static final String PREFIX = "unix:";
    static final String EXPECTED = "unix:PATH, absolute, such as unix:/run/quire/http.sock";

    /** Of a path that the system accepts, and of the name of its new socket. */
    private static final int MAX_BYTES = 106;

    private static final Pattern TEXT = Pattern.compile("unix:/[^\\s\\p{Cntrl}]*[^\\s\\p{Cntrl}/]");

    public UnixPath {
        if (!path.isAbsolute() || path.toString().getBytes(UTF_8).length > MAX_BYTES) {
            throw new IllegalArgumentException("expected " + EXPECTED);
        }
    }

    /**
     * Parses {@code unix:PATH}.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    public static UnixPath parse(String text) {
        return read(text)
                .orElseThrow(() -> new IllegalArgumentException(text + " is not " + EXPECTED));
    }

    static Optional<UnixPath> read(String text) {
        if (!TEXT.matcher(text).matches()
                || text.getBytes(UTF_8).length > PREFIX.length() + MAX_BYTES) {
            return Optional.empty();
        }
        try {
            return Optional.of(new UnixPath(Path.of(text.substring(PREFIX.length())).normalize()));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return PREFIX + path;
    }
}
