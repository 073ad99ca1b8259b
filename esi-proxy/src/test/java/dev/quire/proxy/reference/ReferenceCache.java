package dev.quire.proxy.reference;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** A shared cache for one host, as a list of stored responses. */
public final class ReferenceCache {

    /** The result of a request to the origin. */
    public sealed interface Outcome {
        /** Its duration. */
        Duration after();

        /** A complete response. */
        record Answered(Response response, Duration after) implements Outcome {}

        /** A response with an incomplete body. */
        record Cut(Response begun, Duration after) implements Outcome {}

        /** No response. */
        record Silent(Duration after) implements Outcome {}
    }

    /** The origin. */
    public interface Origin {
        Outcome ask(Request request);
    }

    /**
     * The response to a client.
     *
     * @param isStored whether it comes from the store
     * @param mayBeNotModified whether a 304 is also valid: the new response satisfies the client's
     *     condition
     * @param isCut whether its body is incomplete
     */
    public record Answer(
            Response response, boolean isStored, boolean mayBeNotModified, boolean isCut) {}

    private static final Set<String> CONDITIONS =
            Set.of("if-none-match", "if-modified-since", "if-match", "if-unmodified-since");
    private static final String WEAK = "W/";
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration FAILURES_FORGOTTEN = Duration.ofSeconds(60);

    private final URI host;
    private final Settings settings;
    private final List<Stored> stored = new ArrayList<>();
    private final Map<String, Pause> pauses = new HashMap<>();
    private Instant now;
    private boolean isRefreshing;
    private Instant fetching;
    private Optional<Answer> whileSlow = Optional.empty();

    public ReferenceCache(URI host, Settings settings, Instant now) {
        this.host = host;
        this.settings = settings;
        this.now = now;
        this.fetching = now;
    }

    public Instant now() {
        return now;
    }

    public void pass(Duration time) {
        now = now.plus(time);
    }

    /** Whether {@code request} is answered without contacting the origin first. */
    public boolean hasAtHand(Request request) {
        return newestMatching(request)
                .filter(found -> found.isStaleWithin(found.grace(), now))
                .isPresent();
    }

    /** RFC 9111 §4. */
    public Answer answer(Request request, Origin origin) {
        if (!request.isGet() && !request.isHead()) {
            return writtenThrough(request, origin);
        }
        var found = newestMatching(request);
        if (found.isPresent() && !found.get().mustValidate()) {
            var usable = found.get();
            if (usable.isFreshAt(now)) {
                return fromStore(usable, request);
            }
            if (usable.isStaleWithin(usable.grace(), now)) {
                var answer = fromStore(usable, request);
                if (request.isGet() && !isRefreshPaused(request.target())) {
                    isRefreshing = true;
                    fetched(request, found, origin);
                    isRefreshing = false;
                }
                return answer;
            }
        }
        return request.isHead() ? passed(request, origin) : inTime(request, found, origin);
    }

    /** A client that got a stale response in the meantime does not get the origin's. */
    private Answer inTime(Request request, Optional<Stored> found, Origin origin) {
        fetching = now;
        var answer = fetched(request, found, origin);
        var early = whileSlow;
        whileSlow = Optional.empty();
        isRefreshing = false;
        return early.orElse(answer);
    }

    /**
     * Passes the time in which the origin is silent. If it is too long, the client gets a stale
     * response that it would also get without a response, and the fetch becomes a refresh.
     */
    private void pass(Duration time, Request request, Optional<Stored> stale) {
        var end = now.plus(time);
        var slow = fetching.plus(settings.staleIfSlow());
        if (!isRefreshing && !slow.isAfter(end)) {
            now = slow.isAfter(now) ? slow : now;
            whileSlow =
                    stale.filter(old -> old.isStaleWithin(old.staleIfUnreachable(), now))
                            .map(old -> fromStore(old, request));
            isRefreshing = whileSlow.isPresent();
        }
        now = end;
    }

    // An unhealthy origin is not contacted again by every client that gets a stale response.

    private boolean isRefreshPaused(String target) {
        var pause = pauses.get(target);
        return pause != null && now.isBefore(pause.end());
    }

    private void refreshFailed(String target) {
        if (!isRefreshing) {
            return;
        }
        var last = pauses.get(target);
        var length =
                last == null || !now.isBefore(last.begun().plus(FAILURES_FORGOTTEN))
                        ? FIRST_PAUSE
                        : last.length().multipliedBy(2);
        pauses.put(
                target,
                new Pause(now, length.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : length));
    }

    /** After a failed refresh. */
    private record Pause(Instant begun, Duration length) {
        Instant end() {
            return begun.plus(length);
        }
    }

    /** Removes the responses that match {@code covered}, or makes them stale (soft purge). */
    private void purge(Predicate<Stored> covered, boolean isSoft) {
        if (!isSoft) {
            stored.removeIf(covered);
            return;
        }
        stored.replaceAll(response ->
                covered.test(response) && response.isFreshAt(now)
                        ? new Stored(
                                settings,
                                response.asked(),
                                response.response(),
                                response.requested(),
                                response.received(),
                                Optional.of(now))
                        : response);
    }

    public void purgeTarget(String target, boolean isSoft) {
        purge(response -> response.asked().target().equals(target), isSoft);
    }

    public void purgeTag(String tag, boolean isSoft) {
        purge(response -> response.tags().contains(tag), isSoft);
    }

    /** A response that is no longer usable is removed together with all others of its target. */
    private void forget(String target) {
        Predicate<Stored> isThere = response -> response.asked().target().equals(target);
        if (stored.stream().filter(isThere).noneMatch(response -> response.isUsefulAt(now))) {
            stored.removeIf(isThere);
        }
    }

    /** Of several matching responses, the one with the newest Date, in seconds (RFC 9111 §4). */
    private Optional<Stored> newestMatching(Request request) {
        forget(request.target());
        return stored.stream()
                .filter(response -> response.asked().target().equals(request.target()))
                .filter(response -> response.matches(request))
                .max(
                        Comparator.comparing((Stored response) ->
                                        response.date().truncatedTo(ChronoUnit.SECONDS))
                                .thenComparingInt(stored::indexOf));
    }

    // RFC 9111 §4.3: responses of the origin.

    private Answer fetched(Request request, Optional<Stored> stale, Origin origin) {
        var conditions = stale.filter(Stored::hasValidator).map(this::conditions);
        var plain = new Request(request.method(), request.target(), forwarded(request));
        if (conditions.isEmpty()) {
            return full(request, stale, plain, origin);
        }
        var requested = now;
        var outcome =
                origin.ask(
                        new Request(
                                plain.method(),
                                plain.target(),
                                plain.fields().with(conditions.get())));
        pass(outcome.after(), request, stale);
        if (!(outcome instanceof Outcome.Answered answered
                && answered.response().status() == 304)) {
            return come(request, stale, outcome, requested);
        }
        var renewed = renewed(request, stale.orElseThrow(), answered.response(), requested);
        // A 304 that cannot be applied: repeats the request without conditions.
        return renewed.orElseGet(() -> full(request, stale, plain, origin));
    }

    private Answer full(Request request, Optional<Stored> stale, Request plain, Origin origin) {
        var requested = now;
        var outcome = origin.ask(plain);
        pass(outcome.after(), request, stale);
        return come(request, stale, outcome, requested);
    }

    /** Whether a refresh with this result has failed: it neither renews nor replaces anything. */
    private boolean isFailure(
            Request request, Optional<Stored> stale, Outcome outcome, Instant requested) {
        return switch (outcome) {
            case Outcome.Silent silent -> true;
            case Outcome.Cut cut ->
                    cut.begun().isServerFault()
                            || storedNow(request, cut.begun(), requested).isStorable();
            case Outcome.Answered(Response response, Duration after) ->
                    response.isServerFault()
                            && (standIn(stale, response, request).isPresent()
                                    || !storedNow(request, response, requested).isStorable());
        };
    }

    /** The response is not a 304. */
    private Answer come(
            Request request, Optional<Stored> stale, Outcome outcome, Instant requested) {
        if (isFailure(request, stale, outcome, requested)) {
            refreshFailed(request.target());
        }
        return switch (outcome) {
            case Outcome.Silent silent ->
                    stale.filter(old -> old.isStaleWithin(old.staleIfUnreachable(), now))
                            .map(old -> fromStore(old, request))
                            .orElseGet(() -> error(stale));
            case Outcome.Cut cut ->
                    standIn(stale, cut.begun(), request)
                            .orElseGet(() -> brokenOff(request, stale, cut.begun(), requested));
            case Outcome.Answered(Response response, Duration after) ->
                    standIn(stale, response, request)
                            .orElseGet(() -> received(request, stale, response, requested));
        };
    }

    /**
     * The stored response is retained, except if a background refresh gets a response that cannot
     * be stored: the refresh ends at the head, so the missing end is not observed.
     */
    private Answer brokenOff(
            Request request, Optional<Stored> stale, Response begun, Instant requested) {
        if (isRefreshing
                && !begun.isServerFault()
                && !storedNow(request, begun, requested).isStorable()) {
            stale.ifPresent(stored::remove);
        }
        return asReceived(begun, request, true);
    }

    /** RFC 5861 §4. */
    private Optional<Answer> standIn(Optional<Stored> stale, Response response, Request request) {
        return stale.filter(old -> response.isServerFault())
                .filter(old -> old.isStaleWithin(old.staleIfError(), now))
                .map(old -> fromStore(old, request));
    }

    /** Our validators exactly as received; a Last-Modified that is not a date is omitted. */
    private Lines conditions(Stored stale) {
        var fields = stale.response().fields();
        var conditions =
                fields.first("ETag")
                        .map(tag -> Lines.NONE.with("If-None-Match", tag))
                        .orElse(Lines.NONE);
        return fields.first("Last-Modified")
                .filter(text -> Dates.read(text, now).isPresent())
                .map(changed -> conditions.with("If-Modified-Since", changed))
                .orElse(conditions);
    }

    /** A full response: replaces the one being validated (RFC 9111 §4.3.3). */
    private Answer received(
            Request request, Optional<Stored> stale, Response response, Instant requested) {
        var come = storedNow(request, response, requested);
        if (come.isStorable()) {
            stale.ifPresent(stored::remove);
            put(come);
        } else if (!response.isServerFault()) {
            stale.ifPresent(stored::remove);
        }
        return asReceived(response, request, false);
    }

    /** Updates the stored response with the fields of a 304 (RFC 9111 §4.3.4), if permitted. */
    private Optional<Answer> renewed(
            Request request, Stored stale, Response notModified, Instant requested) {
        if (!selects(notModified, stale)) {
            return Optional.empty();
        }
        var updated = storedNow(request, merged(stale, notModified), requested);
        if (!updated.isStorable()) {
            return Optional.empty();
        }
        stored.remove(stale);
        put(updated);
        return Optional.of(fromStore(updated, request));
    }

    /** A strong tag must be identical; a weak one may differ in strength. */
    private static boolean selects(Response notModified, Stored stale) {
        var confirmed = notModified.fields().first("ETag");
        var tag = stale.response().fields().first("ETag");
        if (confirmed.isEmpty()) {
            return true;
        }
        return confirmed.get().startsWith(WEAK)
                ? tag.map(ReferenceCache::opaque).equals(confirmed.map(ReferenceCache::opaque))
                : tag.equals(confirmed);
    }

    /** RFC 9111 §3.2; Date and Age are replaced. */
    private static Response merged(Stored stale, Response notModified) {
        var update = notModified.fields().without(name -> name.equals("content-length"));
        var replaced = new HashSet<>(Set.of("date", "age"));
        update.lines().forEach(line -> replaced.add(line.name().toLowerCase(Locale.ROOT)));
        var old = stale.response();
        return new Response(
                old.status(), old.fields().without(replaced::contains).with(update), old.body());
    }

    private Stored storedNow(Request request, Response response, Instant requested) {
        var come = new Stored(settings, request, response, requested, now, Optional.empty());
        var kept = new Response(response.status(), come.keptFields(), response.body());
        return new Stored(settings, request, kept, requested, now, Optional.empty());
    }

    /** Replaces the response stored for the same selecting fields. */
    private void put(Stored come) {
        stored.removeIf(other ->
                other.asked().target().equals(come.asked().target())
                        && (other.selecting().equals(come.selecting())
                                || (!settings.keepsOtherVary() && !other.hasSameVary(come))));
        stored.add(come);
        pauses.remove(come.asked().target());
    }

    // RFC 9111 §4.4, RFC 9110 §9: requests that bypass the store.

    private Answer writtenThrough(Request request, Origin origin) {
        var answer = passed(request, origin);
        int status = answer.response().status();
        if (!request.isSafe() && !answer.isCut() && status < 400) {
            invalidate(request, request.target());
            answer.response().fields().all("Location").forEach(to -> invalidate(request, to));
            answer.response()
                    .fields()
                    .all("Content-Location")
                    .forEach(to -> invalidate(request, to));
        }
        return answer;
    }

    /** Only URLs of the request's origin are in this cache. */
    private void invalidate(Request request, String reference) {
        var to = host.resolve(request.target()).resolve(reference);
        if (host.getScheme().equals(to.getScheme())
                && host.getAuthority().equals(to.getAuthority())) {
            purgeTarget(
                    to.getRawPath() + (to.getRawQuery() == null ? "" : "?" + to.getRawQuery()),
                    false);
        }
    }

    /** Its conditions are forwarded: the response is not stored. */
    private Answer passed(Request request, Origin origin) {
        var outcome = origin.ask(request);
        pass(outcome.after());
        return switch (outcome) {
            case Outcome.Silent silent -> error(Optional.empty());
            case Outcome.Cut cut -> asReceived(cut.begun(), request, true);
            case Outcome.Answered(Response response, Duration after) ->
                    asReceived(response, request, false);
        };
    }

    /** The cache evaluates the client's conditions; the origin gets the cache's own. */
    private static Lines forwarded(Request request) {
        return request.fields().without(CONDITIONS::contains);
    }

    // The response to the client.

    private Answer asReceived(Response response, Request request, boolean isCut) {
        var fields = response.fields();
        if (!fields.has("Date")) {
            fields = fields.with("Date", Dates.written(now));
        }
        var dated =
                new Response(response.status(), fields, request.isHead() ? "" : response.body());
        return new Answer(dated, false, isNotModified(dated, request), isCut);
    }

    private Answer fromStore(Stored kept, Request request) {
        var fields = kept.response().fields().without(name -> name.equals("age"));
        if (!fields.has("Date")) {
            fields = fields.with("Date", Dates.written(kept.received()));
        }
        fields = fields.with("Age", Long.toString(kept.ageAt(now).toSeconds()));
        var whole = new Response(kept.response().status(), fields, kept.response().body());
        var response =
                isNotModified(whole, request)
                        ? new Response(304, fields, "")
                        : new Response(
                                whole.status(), fields, request.isHead() ? "" : whole.body());
        return new Answer(response, true, false, false);
    }

    /** 504 if the stored response could be used only after validation. */
    private static Answer error(Optional<Stored> stale) {
        boolean isForbidden = stale.filter(old -> old.directives().forbidStale()).isPresent();
        return new Answer(
                new Response(isForbidden ? 504 : 502, Lines.NONE, ""), false, false, false);
    }

    /** RFC 9111 §4.3.2, RFC 9110 §13. */
    private boolean isNotModified(Response response, Request request) {
        if (response.status() < 200 || response.status() > 299) {
            return false;
        }
        if (request.fields().has("If-None-Match")) {
            var tag = response.fields().first("ETag").map(ReferenceCache::opaque);
            return request.fields().members("If-None-Match").stream()
                    .anyMatch(one -> one.equals("*") || tag.equals(Optional.of(opaque(one))));
        }
        var since =
                request.fields().first("If-Modified-Since").flatMap(text -> Dates.read(text, now));
        var changed =
                response.fields()
                        .first(response.fields().has("Last-Modified") ? "Last-Modified" : "Date")
                        .flatMap(text -> Dates.read(text, now));
        return since.isPresent() && changed.isPresent() && !changed.get().isAfter(since.get());
    }

    private static String opaque(String tag) {
        return tag.startsWith(WEAK) ? tag.substring(WEAK.length()) : tag;
    }
}
