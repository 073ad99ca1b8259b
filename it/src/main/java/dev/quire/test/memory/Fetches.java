package dev.quire.test.memory;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.Reference;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheDecision.PassReason;
import dev.quire.core.policy.CacheGroups;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.Moments;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.policy.Validation;
import dev.quire.test.memory.Inquiry.Purpose;
import dev.quire.test.memory.Upstream.Answer;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the answers to inquiries: in the store, or by asking the application, once for all who want
 * the same at one time. Any thread; whoever asks is kept waiting.
 */
final class Fetches {
    /** How long one who waits for another's fetch waits. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Upstream upstream;
    private final Rules rules;
    private final Times times;
    private final Store store;
    private final Intake intake;
    private final Map<CacheKey, Flight> flights = Collections.synchronizedMap(new HashMap<>());

    Fetches(Upstream upstream, Rules rules, Times times, Store store, Intake intake) {
        this.upstream = upstream;
        this.rules = rules;
        this.times = times;
        this.store = store;
        this.intake = intake;
    }

    /** Whom a fetch is for. */
    private enum Sharing {
        /** All who ask meanwhile. */
        COALESCED,
        /** One, but what it brings may be stored. */
        ALONE,
        /** One, who asks for the head of what is stored. */
        HEAD,
        /** One, whose request went up as it is. */
        PASSED
    }

    /** What the application has been asked. */
    private enum Asking {
        /** What the reader asks, under his own conditions if any. */
        FORWARDED,
        /** Whether what is stored still holds. */
        WHETHER_IT_HOLDS,
        /** Once more, without conditions: the 304 said nothing of what is stored. */
        AGAIN
    }

    /** What a fetch has come to. */
    private sealed interface Outcome {

        /**
         * What all can use whom it matches.
         *
         * @param isPurged whether it was purged on its way: only who asked may have it
         * @param isRenewed whether it was stored before, and still holds
         */
        record Shared(Kept kept, boolean isPurged, boolean isRenewed, boolean isFirstHand)
                implements Outcome {}

        /** What only who asked may have. */
        record Own(Kept kept) implements Outcome {}

        /** Nothing. */
        record Failed(Failure failure, int status, @Nullable Kept cut) implements Outcome {
            Failed(Failure failure) {
                this(failure, failure.status(), null);
            }
        }
    }

    /** One fetch, and everyone who waits for it. */
    private static final class Flight {
        final CompletableFuture<Outcome> done = new CompletableFuture<>();
        final CompletableFuture<@Nullable Void> abandoned = new CompletableFuture<>();
        final boolean isRefresh;
        private final Set<Errand> waiting = new HashSet<>();

        Flight(boolean isRefresh) {
            this.isRefresh = isRefresh;
        }

        /** False if it has been given up. */
        boolean enter(Errand errand) {
            synchronized (this) {
                if (abandoned.isDone()) {
                    return false;
                }
                waiting.add(errand);
            }
            errand.gone().thenRun(() -> leave(errand));
            return true;
        }

        /** A fetch that nobody waits for any more is given up, unless it is a refresh. */
        synchronized void leave(Errand errand) {
            waiting.remove(errand);
            if (waiting.isEmpty() && !isRefresh) {
                abandoned.complete(null);
            }
        }
    }

    /** What was sent and what came of it. */
    private record Came(Answer answer, Stamp stamp, Moments moments) {}

    /** A hit, fresh or stale in its grace, or null. */
    Found.@Nullable Response atHand(Inquiry inquiry, Errand errand) {
        var stored = storedFor(inquiry);
        return stored == null
                ? null
                : atHand(inquiry, decide(inquiry, stored, times.now().get()), errand);
    }

    private Found.@Nullable Response atHand(
            Inquiry inquiry, CacheDecision<Kept> decision, Errand errand) {
        return switch (decision) {
            case CacheDecision.Hit<Kept>(var kept) ->
                    new Found.Response(kept, Asked.Way.HIT, false);
            case CacheDecision.StaleHit<Kept>(var kept) -> {
                refreshLater(inquiry, kept, errand.running());
                yield new Found.Response(kept, Asked.Way.STALE, false);
            }
            case CacheDecision.Revalidate<Kept> ignored -> null;
            case CacheDecision.Miss<Kept> ignored -> null;
            case CacheDecision.Pass<Kept> ignored -> null;
            case CacheDecision.Decline<Kept> ignored -> null;
        };
    }

    /** Finds the answer to {@code inquiry}; waits for it. */
    Found find(Inquiry inquiry, Errand errand) {
        while (!errand.hasLeft()) {
            var stored = storedFor(inquiry);
            var decision = decide(inquiry, stored, times.now().get());
            var atHand = atHand(inquiry, decision, errand);
            var found =
                    atHand != null
                            ? atHand
                            : switch (decision) {
                                case CacheDecision.Pass<Kept>(var reason) ->
                                        pass(inquiry, reason, errand);
                                case CacheDecision.Decline<Kept> decline ->
                                        none(
                                                new Failure(
                                                        Side.CLIENT,
                                                        Kind.UNREACHABLE,
                                                        decline.reasonLabel()));
                                case CacheDecision.Hit<Kept> ignored -> null;
                                case CacheDecision.StaleHit<Kept> ignored -> null;
                                case CacheDecision.Revalidate<Kept> ignored ->
                                        fetch(inquiry, stored, errand);
                                case CacheDecision.Miss<Kept> ignored ->
                                        fetch(inquiry, stored, errand);
                            };
            if (found != null) {
                return found;
            }
        }
        return none(cancelled());
    }

    /** What may stand in for {@code inquiry} after {@code failure}, or null. */
    @Nullable Kept standIn(Inquiry inquiry, Failure failure) {
        if (failure.side() != Side.ORIGIN || !isAnsweredFromStore(inquiry)) {
            return null;
        }
        var stored = storedFor(inquiry);
        var cause =
                failure.kind() == Kind.STATUS ? StandInCause.ERROR_STATUS : StandInCause.NO_ANSWER;
        return stored != null && CachePolicy.mayStandIn(stored, cause, times.now().get())
                ? stored
                : null;
    }

    /** Whether what is stored for {@code inquiry} may only be used once the origin has agreed. */
    boolean forbidsStale(Inquiry inquiry) {
        var stored =
                isAnsweredFromStore(inquiry) ? store.find(inquiry.key(), inquiry.request()) : null;
        return stored != null && CachePolicy.forbidsStale(stored.head().fields(), rules.settings());
    }

    /** Whether what is stored says anything of it: it answers no other method, and no content. */
    private static boolean isAnsweredFromStore(Inquiry inquiry) {
        var request = inquiry.request();
        return (request.isGet() || request.isHead()) && !inquiry.hasBody();
    }

    private @Nullable Kept storedFor(Inquiry inquiry) {
        if (!inquiry.mayBeStored()) {
            return null;
        }
        var stored = store.find(inquiry.key(), inquiry.request());
        return stored != null && isServedBy(inquiry, stored) ? stored : null;
    }

    /** Whether what is wanted of {@code kept} is in it. */
    private static boolean isServedBy(Inquiry inquiry, Kept kept) {
        return !inquiry.wantsSource() || kept.compiled() == null || kept.origins().hasSource();
    }

    private CacheDecision<Kept> decide(Inquiry inquiry, @Nullable Kept stored, Instant now) {
        if (!inquiry.mayBeStored() && inquiry.request().isGet() && !inquiry.hasBody()) {
            return new CacheDecision.Pass<>(PassReason.NO_STORE);
        }
        return CachePolicy.decide(
                inquiry.request(),
                inquiry.hasBody(),
                stored,
                stored == null && store.hasVariants(inquiry.key()),
                stored == null && store.isHitForMiss(inquiry.key()),
                now);
    }

    /** Null to look again. */
    private @Nullable Found fetch(Inquiry inquiry, @Nullable Kept stored, Errand errand) {
        if (!inquiry.request().isHead()) {
            return join(inquiry, stored, errand);
        }
        if (stored == null || !stored.hasValidator()) {
            return alone(inquiry, Sharing.PASSED, inquiry.forwarding(), null, errand);
        }
        return alone(inquiry, Sharing.HEAD, Purpose.HEAD, stored, errand);
    }

    private @Nullable Found pass(Inquiry inquiry, PassReason reason, Errand errand) {
        return switch (reason) {
            case HIT_FOR_MISS -> alone(inquiry, Sharing.ALONE, inquiry.purpose(), null, errand);
            case METHOD, BODY, HEAD, CONDITION, RANGE, CODING ->
                    alone(inquiry, Sharing.PASSED, inquiry.forwarding(), null, errand);
            case NO_STORE -> alone(inquiry, Sharing.PASSED, inquiry.purpose(), null, errand);
        };
    }

    private Found alone(
            Inquiry inquiry,
            Sharing sharing,
            Purpose purpose,
            @Nullable Kept stale,
            Errand errand) {
        var flight = new Flight(false);
        flight.enter(errand);
        var outcome = lead(flight, inquiry, sharing, purpose, stale, errand.running());
        return ofOwn(outcome);
    }

    /** Waits for the fetch that is under way, or leads one; null to look again. */
    private @Nullable Found join(Inquiry inquiry, @Nullable Kept stale, Errand errand) {
        var mine = new Flight(false);
        mine.enter(errand);
        Flight under;
        synchronized (flights) {
            under = flights.get(inquiry.key());
            if (under == null) {
                if (stale == null && storedFor(inquiry) != null) {
                    // A fetch has ended since it was looked for.
                    return null;
                }
                flights.put(inquiry.key(), mine);
            }
        }
        if (under == null) {
            var outcome =
                    lead(
                            mine,
                            inquiry,
                            Sharing.COALESCED,
                            inquiry.purpose(),
                            stale,
                            errand.running());
            return ofOwn(outcome);
        }
        if (!under.enter(errand)) {
            flights.remove(inquiry.key(), under);
            return null;
        }
        var outcome = awaited(under, inquiry.key(), errand);
        under.leave(errand);
        return switch (outcome) {
            case null -> null;
            case Outcome.Shared shared when shared.isPurged() -> null;
            case Outcome.Shared shared
                    when shared.kept().selecting().matches(inquiry.request())
                            && isServedBy(inquiry, shared.kept()) ->
                    found(shared, true);
            case Outcome.Shared ignored -> separately(inquiry, errand);
            case Outcome.Own ignored -> separately(inquiry, errand);
            case Outcome.Failed failed -> new Found.None(failed.failure(), failed.status(), null);
        };
    }

    private Found separately(Inquiry inquiry, Errand errand) {
        return alone(inquiry, Sharing.ALONE, inquiry.purpose(), null, errand);
    }

    /** Null if it takes too long, or {@code errand} has left. */
    private @Nullable Outcome awaited(Flight flight, CacheKey key, Errand errand) {
        try {
            CompletableFuture.anyOf(flight.done, errand.gone())
                    .get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            return errand.hasLeft() ? null : flight.done.join();
        } catch (TimeoutException overdue) {
            // Perhaps it is this one connection's fault: who comes now leads another.
            flights.remove(key, flight);
            return null;
        } catch (ExecutionException e) {
            throw thrown(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + key.url(), e);
        }
    }

    private static RuntimeException thrown(ExecutionException e) {
        return switch (e.getCause()) {
            case RuntimeException cause -> cause;
            case Error cause -> throw cause;
            case null, default -> new CompletionException(e);
        };
    }

    private Found ofOwn(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Shared shared -> found(shared, false);
            case Outcome.Own(var kept) -> new Found.Response(kept, Asked.Way.PASS, true);
            case Outcome.Failed(var failure, var status, var cut) ->
                    new Found.None(failure, status, cut);
        };
    }

    private Found found(Outcome.Shared shared, boolean isCollapsed) {
        return new Found.Response(
                shared.kept(),
                shared.isRenewed() ? Asked.Way.REVALIDATED : Asked.Way.MISS,
                shared.isFirstHand() && !isCollapsed);
    }

    private static Found none(Failure failure) {
        return new Found.None(failure, failure.status(), null);
    }

    /** Refreshes what is stored, unless that is under way or has failed a moment ago. */
    private void refreshLater(Inquiry inquiry, Kept stale, Running running) {
        if (inquiry.request().isHead() || store.isPaused(inquiry.key())) {
            return;
        }
        var flight = new Flight(true);
        if (flights.putIfAbsent(inquiry.key(), flight) == null) {
            running.start(
                    "refresh " + inquiry.key().target(),
                    () ->
                            lead(
                                    flight,
                                    inquiry,
                                    Sharing.COALESCED,
                                    inquiry.purpose(),
                                    stale,
                                    running));
        }
    }

    private Outcome lead(
            Flight flight,
            Inquiry inquiry,
            Sharing sharing,
            Purpose purpose,
            @Nullable Kept stale,
            Running running) {
        var epoch = store.fetchBegins(inquiry.request());
        var fetch = new Fetch(flight, inquiry, sharing, purpose, stale, epoch, running);
        try {
            var outcome = fetch.run();
            // First of all: who comes from now on has come after it.
            flights.remove(inquiry.key(), flight);
            flight.done.complete(outcome);
            return outcome;
        } catch (RuntimeException | Error bug) {
            flights.remove(inquiry.key(), flight);
            flight.done.completeExceptionally(bug);
            throw bug;
        } finally {
            store.fetchEnded();
        }
    }

    private static Failure cancelled() {
        return new Failure(Side.CLIENT, Kind.CANCELLED, "nobody waits for it any more");
    }

    /** Drops what an unsafe request has made untrue (RFC 9111 §4.4, RFC 9875 §3). */
    private void invalidate(Inquiry inquiry, ResponseHead head) {
        if (inquiry.request().isSafe() || head.status() >= 400) {
            return;
        }
        var keys = new HashSet<CacheKey>();
        keys.add(inquiry.key());
        for (var name : new String[] {"location", "content-location"}) {
            var location = head.fields().first(name);
            if (location != null
                    && ReferenceResolver.OWN_AUTHORITY.resolve(location, inquiry.key())
                            instanceof Reference.Allowed(var key)) {
                keys.add(key);
            }
        }
        store.purge(Store.called(keys), inquiry.request());
        var groups = CacheGroups.invalidatedBy(head.fields());
        if (!groups.isEmpty()) {
            store.purge(
                    kept ->
                            kept.key().isOfSameAuthority(inquiry.key())
                                    && !Collections.disjoint(kept.groups(), groups),
                    null);
        }
    }

    /** One fetch: what is asked, and what becomes of the answer. On its leader's thread. */
    private final class Fetch {
        private final Flight flight;
        private final Inquiry inquiry;
        private final Sharing sharing;
        private final Purpose purpose;
        private final @Nullable Kept stale;
        private final Store.Epoch epoch;
        private final Running running;

        Fetch(
                Flight flight,
                Inquiry inquiry,
                Sharing sharing,
                Purpose purpose,
                @Nullable Kept stale,
                Store.Epoch epoch,
                Running running) {
            this.flight = flight;
            this.inquiry = inquiry;
            this.sharing = sharing;
            this.purpose = purpose;
            this.stale = stale;
            this.epoch = epoch;
            this.running = running;
        }

        Outcome run() {
            var conditions =
                    stale == null ? Fields.EMPTY : Validation.conditions(stale.head().fields());
            var outcome =
                    outcome(
                            ask(conditions),
                            conditions.equals(Fields.EMPTY)
                                    ? Asking.FORWARDED
                                    : Asking.WHETHER_IT_HOLDS);
            if (outcome == null) {
                outcome = outcome(ask(Fields.EMPTY), Asking.AGAIN);
            }
            if (outcome == null) {
                throw new IllegalStateException("asked twice for " + url() + " to no end");
            }
            if (flight.isRefresh && isFailure(outcome)) {
                store.pauseRefreshes(inquiry.key());
            }
            return outcome;
        }

        private static boolean isFailure(Outcome outcome) {
            return switch (outcome) {
                case Outcome.Failed ignored -> true;
                case Outcome.Own(var kept) -> StandInCause.isErrorStatus(kept.status());
                case Outcome.Shared ignored -> false;
            };
        }

        /** Null if it was not answered in time, or nobody waits for it any more. */
        private @Nullable Came ask(Fields conditions) {
            var bits = new byte[Stamp.BYTES];
            RANDOM.nextBytes(bits);
            var stamp = Stamp.of(bits);
            var request =
                    inquiry.upstream(conditions, purpose, rules.settings().deviceToken(), stamp);
            var requestedAt = times.now().get();
            var answer = new CompletableFuture<Answer>();
            var asking =
                    running.start(
                            "ask " + inquiry.key().target(),
                            () -> {
                                try {
                                    answer.complete(upstream.answer(request, inquiry.body()));
                                } catch (RuntimeException | Error e) {
                                    answer.completeExceptionally(e);
                                }
                            });
            try {
                CompletableFuture.anyOf(answer, flight.abandoned)
                        .get(rules.timing().firstByte().toNanos(), TimeUnit.NANOSECONDS);
                return answer.isDone()
                        ? new Came(
                                answer.join(),
                                stamp,
                                new Moments(
                                        requestedAt,
                                        times.now().get(),
                                        times.originWall().get(),
                                        times.steadyWall().get()))
                        : null;
            } catch (TimeoutException late) {
                return null;
            } catch (ExecutionException e) {
                throw thrown(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while asking for " + url(), e);
            } finally {
                if (!answer.isDone()) {
                    asking.interrupt();
                }
            }
        }

        /** Null if the same is to be asked {@linkplain Asking#AGAIN again}. */
        private @Nullable Outcome outcome(@Nullable Came came, Asking asking) {
            if (flight.abandoned.isDone()) {
                return new Outcome.Failed(cancelled());
            }
            return switch (came == null ? null : came.answer()) {
                case null -> failed(Kind.TIMEOUT, "no answer in " + rules.timing().firstByte());
                case Answer.None(var why) -> failed(Kind.UNREACHABLE, why);
                case Answer.Whole(var head, var body) ->
                        answered(present(came), head, body, false, asking);
                case Answer.Cut(var head, var body) ->
                        answered(present(came), head, body, true, asking);
            };
        }

        private Outcome failed(Kind kind, String why) {
            return new Outcome.Failed(new Failure(Side.ORIGIN, kind, why));
        }

        private @Nullable Outcome answered(
                Came came, ResponseHead given, Bytes body, boolean isCut, Asking asking) {
            var old = stale;
            var moments = came.moments();
            if (given.status() == 304 && old != null && asking != Asking.FORWARDED) {
                return asking == Asking.AGAIN
                        ? failed(
                                Kind.MALFORMED,
                                url() + " gave 304 again, and was asked without a condition")
                        : notModified(old, given, moments);
            }
            var verdict = intake.verdict(given, came.stamp());
            var head = Intake.judged(given, verdict);
            if (old != null
                    && StandInCause.isErrorStatus(head.status())
                    && CachePolicy.mayStandIn(old, StandInCause.ERROR_STATUS, times.now().get())) {
                return new Outcome.Failed(
                        new Failure(
                                Side.ORIGIN,
                                Kind.STATUS,
                                head.status(),
                                url() + " gave " + head.status()));
            }
            if (old != null && sharing == Sharing.HEAD) {
                var confirmed = confirmed(old, head, moments);
                if (confirmed != null) {
                    return confirmed;
                }
            }
            invalidate(inquiry, head);
            boolean mayStore = sharing == Sharing.COALESCED || sharing == Sharing.ALONE;
            var taken = intake.take(inquiry, mayStore, head, body, verdict, came.stamp(), moments);
            boolean flows = intake.flows(inquiry, head, verdict);
            if (isCut) {
                var kept =
                        switch (taken) {
                            case Intake.Taken.Shared(var shared) -> shared;
                            case Intake.Taken.Own(var own) -> own;
                            case Intake.Taken.Refused ignored -> null;
                        };
                return new Outcome.Failed(
                        new Failure(
                                Side.ORIGIN,
                                Kind.TRUNCATED,
                                url() + " breaks off behind " + body.length() + " bytes"),
                        head.status(),
                        flows ? kept : null);
            }
            return switch (taken) {
                case Intake.Taken.Shared(var kept) -> stored(kept, flows, false);
                case Intake.Taken.Own(var kept) -> own(kept);
                case Intake.Taken.Refused(var failure) -> new Outcome.Failed(failure);
            };
        }

        private Outcome own(Kept kept) {
            int status = kept.status();
            if (sharing == Sharing.COALESCED) {
                store.noteHitForMiss(inquiry.key());
            }
            boolean isNewer = status != 304 && !StandInCause.isErrorStatus(status);
            if (stale != null && isNewer && sharing != Sharing.HEAD) {
                store.supersede(stale);
            }
            return new Outcome.Own(kept);
        }

        private @Nullable Outcome notModified(Kept old, ResponseHead head, Moments moments) {
            if (!Validation.selects(old.head().fields(), head.fields())) {
                return null;
            }
            var merged = renewed(old, head, moments);
            return merged == null ? null : stored(merged, false, true);
        }

        private @Nullable Kept renewed(Kept old, ResponseHead head, Moments moments) {
            return intake.validated(
                    inquiry, old, Validation.merged(old.head(), head.fields()), moments);
        }

        /**
         * What a 200 to HEAD renews (RFC 9111 §4.3.5), or null; what it does not renew goes. One
         * with a cookie, which is that reader's own, changes nothing.
         */
        private @Nullable Outcome confirmed(Kept old, ResponseHead head, Moments moments) {
            if (head.status() != 200) {
                return null;
            }
            boolean isSame =
                    old.head().status() == 200
                            && Validation.isConfirmedByHead(
                                    old.head().fields(), old.originBytes(), head.fields());
            var renewed = isSame ? renewed(old, head, moments) : null;
            if (renewed != null) {
                return stored(renewed, false, true);
            }
            if (!isSame || !intake.isForItsCookieAlone(inquiry, head, moments)) {
                store.supersede(old);
            }
            return null;
        }

        private Outcome stored(Kept kept, boolean isFirstHand, boolean isRenewed) {
            if (!store.put(kept, epoch)) {
                return new Outcome.Shared(kept, true, isRenewed, isFirstHand);
            }
            if (stale != null && !stale.selecting().equals(kept.selecting())) {
                // What varies otherwise than before stands beside it, not in its place.
                store.supersede(stale);
            }
            store.forgetHitForMiss(inquiry.key());
            store.endPause(inquiry.key());
            store.putInlines(kept, epoch);
            return new Outcome.Shared(kept, false, isRenewed, isFirstHand);
        }

        private String url() {
            return inquiry.key().url();
        }

        private static Came present(@Nullable Came came) {
            if (came == null) {
                throw new IllegalStateException("an answer has come of nothing");
            }
            return came;
        }
    }
}
