package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cache directives of a response that mean something to us (RFC 9111 §5.2.2, RFC 5861). Unknown
 * ones are left out. Of two equal directives the first counts; a time that is no number is zero.
 *
 * @param noStore must not be kept
 * @param noCache must be validated before every reuse
 * @param isPrivate is for one reader
 * @param isPublic may be kept although something else speaks against it
 * @param mustRevalidate must not be reused stale
 * @param proxyRevalidate must not be reused stale by a shared cache
 * @param isImmutable does not change while it is fresh (RFC 8246)
 * @param mustUnderstand may be kept, {@code no-store} or not, by who knows its status code
 * @param maxAge freshness lifetime
 * @param sMaxAge freshness lifetime in a shared cache
 * @param staleWhileRevalidate how long past its lifetime it may be served while it is refreshed
 * @param staleIfError how long past its lifetime it may stand in for an error
 * @param noCacheFields the fields that must not be reused without validation, in lower case
 * @param privateFields the fields that are for one reader, in lower case
 */
public record CacheControl(
        boolean noStore,
        boolean noCache,
        boolean isPrivate,
        boolean isPublic,
        boolean mustRevalidate,
        boolean proxyRevalidate,
        boolean isImmutable,
        boolean mustUnderstand,
        Optional<Duration> maxAge,
        Optional<Duration> sMaxAge,
        Optional<Duration> staleWhileRevalidate,
        Optional<Duration> staleIfError,
        Set<String> noCacheFields,
        Set<String> privateFields) {

    /** Longer lines are read each time. */
    private static final int MOST_KNOWN_CHARACTERS = 256;

    private static final int KNOWN = 64;

    /**
     * What single lines came to, by their hashes. Sites say the same few things over and over, and
     * of a response that is not stored they are read several times. Races are harmless: one reading
     * of a line is as good as another.
     */
    private static final @Nullable Known[] LINES = new Known[KNOWN];

    private static final CacheControl NOTHING = of(List.of());

    private record Known(String line, CacheControl directives) {}

    public CacheControl {
        noCacheFields = Set.copyOf(noCacheFields);
        privateFields = Set.copyOf(privateFields);
    }

    /** What all {@code Cache-Control} lines of {@code fields} say. */
    public static CacheControl of(Fields fields) {
        var lines = fields.all("Cache-Control");
        return switch (lines.size()) {
            case 0 -> NOTHING;
            case 1 -> of(lines.getFirst());
            default -> read(lines);
        };
    }

    private static CacheControl of(String line) {
        int place = line.hashCode() & (KNOWN - 1);
        var known = LINES[place];
        if (known != null && known.line.equals(line)) {
            return known.directives;
        }
        var directives = read(List.of(line));
        if (line.length() <= MOST_KNOWN_CHARACTERS) {
            LINES[place] = new Known(line, directives);
        }
        return directives;
    }

    private static CacheControl read(List<String> lines) {
        var members = FieldList.members(lines);
        return of(members.stream().flatMap(member -> Directive.parse(member).stream()).toList());
    }

    static CacheControl of(List<Directive> directives) {
        var reading = new Reading();
        directives.forEach(reading::read);
        return reading.result();
    }

    /**
     * Whether a stale response may never be reused by us, whatever permission stands beside.
     *
     * @param despiteSharedMaxAge whether {@code s-maxage} is not to forbid it
     */
    boolean forbidsStale(boolean despiteSharedMaxAge) {
        // s-maxage includes proxy-revalidate (RFC 9111 §5.2.2.10).
        return noCache
                || mustRevalidate
                || proxyRevalidate
                || (sMaxAge.isPresent() && !despiteSharedMaxAge);
    }

    /** Whether the answer to a request with Authorization may be kept (RFC 9111 §3.5). */
    boolean allowsAuthorized() {
        return isPublic || mustRevalidate || sMaxAge.isPresent();
    }

    /** The directives read so far. */
    private static final class Reading {
        private final Set<String> flags = new HashSet<>();
        private final Set<String> noCacheFields = new HashSet<>();
        private final Set<String> privateFields = new HashSet<>();
        private Optional<Duration> maxAge = Optional.empty();
        private Optional<Duration> sMaxAge = Optional.empty();
        private Optional<Duration> staleWhileRevalidate = Optional.empty();
        private Optional<Duration> staleIfError = Optional.empty();

        void read(Directive directive) {
            switch (directive.name()) {
                case "no-cache" -> readQualified(directive, noCacheFields);
                case "private" -> readQualified(directive, privateFields);
                case "max-age" -> maxAge = maxAge.or(() -> Optional.of(directive.seconds()));
                case "s-maxage" -> sMaxAge = sMaxAge.or(() -> Optional.of(directive.seconds()));
                case "stale-while-revalidate" ->
                        staleWhileRevalidate =
                                staleWhileRevalidate.or(() -> Optional.of(directive.seconds()));
                case "stale-if-error" ->
                        staleIfError = staleIfError.or(() -> Optional.of(directive.seconds()));
                default -> flags.add(directive.name());
            }
        }

        /** One that names no field speaks of the whole response; beside others it still does. */
        private void readQualified(Directive directive, Set<String> fields) {
            var names = directive.fieldNames();
            if (names.isEmpty()) {
                flags.add(directive.name());
            }
            fields.addAll(names);
        }

        CacheControl result() {
            return new CacheControl(
                    flags.contains("no-store"),
                    flags.contains("no-cache"),
                    flags.contains("private"),
                    flags.contains("public"),
                    flags.contains("must-revalidate"),
                    flags.contains("proxy-revalidate"),
                    flags.contains("immutable"),
                    flags.contains("must-understand"),
                    maxAge,
                    sMaxAge,
                    staleWhileRevalidate,
                    staleIfError,
                    noCacheFields,
                    privateFields);
        }
    }
}
