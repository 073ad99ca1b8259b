package dev.quire.proxy.reference;

import static java.util.Comparator.naturalOrder;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A stored response with its request and times.
 *
 * @param asked the request that fetched it
 * @param requested when that request was sent
 * @param received when the response was received
 * @param expired when a soft purge made it stale, if any
 */
record Stored(
        Settings settings,
        Request asked,
        Response response,
        Instant requested,
        Instant received,
        Optional<Instant> expired) {

    private static final Set<Integer> HEURISTIC =
            Set.of(200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501);
    private static final Set<Integer> UNKNOWN = Set.of(299, 306, 499, 599);
    private static final Duration DAY = Duration.ofHours(24);
    private static final Duration VALIDATION_WINDOW = Duration.ofHours(1);

    /** Hop-by-hop fields, which are never stored (RFC 9111 §3.1). */
    private static final Set<String> HOP_BY_HOP =
            Set.of("connection", "keep-alive", "proxy-connection", "te", "upgrade");

    Directives directives() {
        return Directives.of(response.fields());
    }

    /**
     * Its fields without those that are not stored (RFC 9111 §3.1, §5.2.2.7). Fields that may be
     * sent only after a validation (§5.2.2.4) could be stored, but are not needed.
     */
    Lines keptFields() {
        var withheld = new TreeSet<>(HOP_BY_HOP);
        withheld.addAll(directives().fieldsOf("private"));
        withheld.addAll(directives().fieldsOf("no-cache"));
        response.fields()
                .members("Connection")
                .forEach(name -> withheld.add(name.toLowerCase(Locale.ROOT)));
        return response.fields().without(withheld::contains);
    }

    // RFC 9111 §3: may it be stored?

    boolean isStorable() {
        var directives = directives();
        int status = response.status();
        if (!asked.isGet() || status < 200 || status == 206 || status == 304) {
            return false;
        }
        if (directives.has("must-understand")) {
            if (UNKNOWN.contains(status)) {
                return false;
            }
        } else if (directives.has("no-store")) {
            return false;
        }
        if (directives.has("private") || response.fields().has("Set-Cookie")) {
            return false;
        }
        if (varies().contains("*")) {
            return false;
        }
        if (asked.fields().has("Authorization")
                && !directives.has("public")
                && !directives.has("must-revalidate")
                && !directives.has("s-maxage")) {
            return false;
        }
        if (explicitLifetime().isEmpty()
                && !directives.has("public")
                && !HEURISTIC.contains(status)) {
            return false;
        }
        return hasValidator() || (isFreshOnArrival() && !mustValidate());
    }

    /** {@code no-cache}: never reused without validation. */
    boolean mustValidate() {
        return directives().has("no-cache");
    }

    boolean hasValidator() {
        return response.fields().has("ETag") || lastModified().isPresent();
    }

    // RFC 9111 §4.1: which requests does it answer?

    /** The names in its Vary field, in lower case. */
    Set<String> varies() {
        var names = new TreeSet<String>();
        response.fields().members("Vary").forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
        return names;
    }

    Map<String, Optional<String>> selecting() {
        var selecting = new TreeMap<String, Optional<String>>();
        varies().forEach(name -> selecting.put(name, asked.selecting(name)));
        return selecting;
    }

    boolean hasSameVary(Stored other) {
        return selecting().keySet().equals(other.selecting().keySet());
    }

    boolean matches(Request request) {
        return selecting().entrySet().stream()
                .allMatch(field -> request.selecting(field.getKey()).equals(field.getValue()));
    }

    // RFC 9111 §4.2: how long is it fresh?

    Instant date() {
        return date("Date").orElse(received);
    }

    private Optional<Instant> lastModified() {
        return date("Last-Modified");
    }

    private Optional<Instant> date(String name) {
        return response.fields().first(name).flatMap(text -> Dates.read(text, received));
    }

    private Optional<Duration> explicitLifetime() {
        var directives = directives();
        return directives
                .time("s-maxage")
                .or(() -> directives.time("max-age"))
                .or(() ->
                        response.fields()
                                .first("Expires")
                                .map(text ->
                                        Dates.read(text, received)
                                                .map(end -> notNegative(date(), end))
                                                .orElse(Duration.ZERO)));
    }

    private Optional<Duration> heuristicLifetime() {
        boolean isAllowed = HEURISTIC.contains(response.status()) || directives().has("public");
        if (!isAllowed || asked.hasCredentials()) {
            return Optional.empty();
        }
        return lastModified()
                .filter(changed -> !changed.isAfter(date()))
                .map(changed -> Duration.between(changed, date()).dividedBy(10))
                .map(guess -> guess.compareTo(DAY) > 0 ? DAY : guess);
    }

    Duration lifetime() {
        var atFirst = explicitLifetime().or(this::heuristicLifetime).orElse(Duration.ZERO);
        return expired.map(this::ageAt).filter(age -> age.compareTo(atFirst) < 0).orElse(atFirst);
    }

    /** RFC 9111 §4.2.3. */
    Duration initialAge() {
        // Date has whole seconds: a Date in the second of the request means age zero.
        boolean isOfNow = date().plusSeconds(1).isAfter(requested);
        var apparent = isOfNow ? Duration.ZERO : notNegative(date(), received);
        var field =
                response.fields()
                        .first("Age")
                        .map(line -> line.split(",", -1)[0].strip())
                        .flatMap(Directives::seconds)
                        .orElse(Duration.ZERO);
        var corrected = field.plus(Duration.between(requested, received));
        var larger = apparent.compareTo(corrected) > 0 ? apparent : corrected;
        return larger.compareTo(Directives.LONGEST) > 0 ? Directives.LONGEST : larger;
    }

    Duration ageAt(Instant now) {
        return initialAge().plus(Duration.between(received, now));
    }

    boolean isFreshAt(Instant now) {
        return lifetime().compareTo(ageAt(now)) > 0;
    }

    private boolean isFreshOnArrival() {
        return explicitLifetime()
                        .or(this::heuristicLifetime)
                        .orElse(Duration.ZERO)
                        .compareTo(initialAge())
                > 0;
    }

    /**
     * Whether it may be used without validation if staleness up to {@code window} is acceptable.
     */
    boolean isStaleWithin(Duration window, Instant now) {
        return !mustValidate() && ageAt(now).minus(lifetime()).compareTo(window) < 0;
    }

    // RFC 9111 §4.2.4, RFC 5861: how long may it be used stale?

    /** During a refresh. The default applies only to responses that were fresh on arrival. */
    Duration grace() {
        if (directives().forbidStale()) {
            return Duration.ZERO;
        }
        return directives()
                .time("stale-while-revalidate")
                .orElse(isFreshOnArrival() ? settings.grace() : Duration.ZERO);
    }

    /** In place of a 500, 502, 503 or 504 response. */
    Duration staleIfError() {
        return insteadOfAnswer(settings.staleIfError());
    }

    /** If the origin does not respond. */
    Duration staleIfUnreachable() {
        return insteadOfAnswer(settings.staleIfUnreachable());
    }

    /**
     * A response that was stale on arrival and was requested with credentials is stored for
     * validation only, not to be served stale.
     */
    private Duration insteadOfAnswer(Duration byDefault) {
        if (directives().forbidStale()) {
            return Duration.ZERO;
        }
        boolean isForAll = isFreshOnArrival() || !asked.hasCredentials();
        return directives().time("stale-if-error").orElse(isForAll ? byDefault : Duration.ZERO);
    }

    /** Whether it may still be served or validated; an hour is allowed for validation. */
    boolean isUsefulAt(Instant now) {
        var windows = Stream.of(grace(), staleIfError(), staleIfUnreachable());
        var left = lifetime().minus(initialAge()).plus(windows.max(naturalOrder()).orElseThrow());
        var until = received.plus(left.isNegative() ? Duration.ZERO : left);
        return now.isBefore(hasValidator() ? until.plus(VALIDATION_WINDOW) : until);
    }

    Set<String> tags() {
        var tags = new TreeSet<String>();
        response.fields()
                .all("Surrogate-Key")
                .forEach(line -> tags.addAll(List.of(line.strip().split(" +", -1))));
        return tags;
    }

    private static Duration notNegative(Instant from, Instant to) {
        var between = Duration.between(from, to);
        return between.isNegative() ? Duration.ZERO : between;
    }
}
