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
 * The cache directives of a response that Quire implements (RFC 9111 §5.2.2, RFC 5861). Unknown
 * ones are ignored. Of duplicate directives the first counts; a time that is not a number is zero.
 *
 * @param noStore must not be stored
 * @param noCache must be validated before every reuse
 * @param isPrivate is for one client
 * @param isPublic may be stored even if another rule would forbid it
 * @param mustRevalidate must not be reused stale
 * @param proxyRevalidate must not be reused stale by a shared cache
 * @param isImmutable does not change while it is fresh (RFC 8246)
 * @param mustUnderstand may be stored despite {@code no-store} if the status is implemented
 * @param maxAge freshness lifetime
 * @param sMaxAge freshness lifetime in a shared cache
 * @param staleWhileRevalidate how long past its lifetime it may be served while it is refreshed
 * @param staleIfError how long past its lifetime it may be served instead of an error
 * @param noCacheFields the fields that must not be reused without validation, in lower case
 * @param privateFields the fields that are for one client, in lower case
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

    /** Longer lines are not cached. */
    private static final int MOST_KNOWN_CHARACTERS = 256;

    private static final int KNOWN = 64;

    /**
     * A cache of parsed lines, by hash. Sites repeat the same few lines, and a response that is not
     * stored is parsed several times. Races are harmless: all parses of a line are equal.
     */
    private static final @Nullable Known[] LINES = new Known[KNOWN];

    private static final CacheControl NOTHING = of(List.of());

    private record Known(String line, CacheControl directives) {}

    public CacheControl {
        noCacheFields = Set.copyOf(noCacheFields);
        privateFields = Set.copyOf(privateFields);
    }

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
        var parser = new Parser();
        directives.forEach(parser::read);
        return parser.result();
    }

    /**
     * Whether Quire must never reuse the response stale, whatever other directives allow it.
     *
     * @param despiteSharedMaxAge whether {@code s-maxage} does not forbid it
     */
    boolean forbidsStale(boolean despiteSharedMaxAge) {
        // s-maxage includes proxy-revalidate (RFC 9111 §5.2.2.10).
        return noCache
                || mustRevalidate
                || proxyRevalidate
                || (sMaxAge.isPresent() && !despiteSharedMaxAge);
    }

    /** Whether the response to a request with Authorization may be stored (RFC 9111 §3.5). */
    boolean allowsAuthorized() {
        return isPublic || mustRevalidate || sMaxAge.isPresent();
    }

    /** The directives parsed so far. */
    private static final class Parser {
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

        /** Without field names it applies to the whole response, even next to one with names. */
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
