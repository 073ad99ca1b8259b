package dev.quire.test.memory;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.assemble.Reference;
import dev.quire.core.expression.Escape;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.StandInCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The fragments of one page. Each that is not at hand is fetched on a thread of its own, which
 * hands over what has come; all else is on the page's.
 */
final class Fragments implements FragmentSource<Kept> {
    private static final Fetching NOTHING = new Fetching() {};
    private static final int MAX_REDIRECTS = 3;

    /** In a longer body nothing is looked for. */
    private static final int MAX_SEARCHED_BYTES = 4 * 1024 * 1024;

    private final Inquiry page;
    private final Fetches fetches;
    private final Intake intake;
    private final Store store;
    private final Rules rules;
    private final Running running;
    private final long askedNanos;
    private final Consumer<String> cookies;
    private final LinkedBlockingQueue<Runnable> arrivals = new LinkedBlockingQueue<>();
    private final List<Pending> underWay = new ArrayList<>();
    private final List<@Nullable Asked> parts = new ArrayList<>();

    /**
     * @param askedNanos when the page was asked for
     * @param cookies told of those that come with what is the reader's own
     */
    Fragments(
            Inquiry page,
            Fetches fetches,
            Intake intake,
            Store store,
            Rules rules,
            Running running,
            long askedNanos,
            Consumer<String> cookies) {
        this.page = page;
        this.fetches = fetches;
        this.intake = intake;
        this.store = store;
        this.rules = rules;
        this.running = running;
        this.askedNanos = askedNanos;
        this.cookies = cookies;
    }

    /** What has come of those that were asked for, in that order. */
    List<Asked> parts() {
        var all = new ArrayList<Asked>();
        for (var part : parts) {
            if (part != null) {
                all.add(part);
            }
        }
        return all;
    }

    /** Takes what comes next, or finds that it is late; waits, at most until {@code dueNanos}. */
    void advance(long dueNanos) throws InterruptedException {
        long due = dueNanos;
        for (var each : underWay) {
            due = Math.min(due, each.dueNanos);
        }
        var next = arrivals.poll(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (next != null) {
            next.run();
        }
        long now = System.nanoTime();
        for (var each : List.copyOf(underWay)) {
            if (each.dueNanos <= now) {
                each.overdue();
            }
        }
    }

    @Override
    public @Nullable Kept stored(FragmentRequest request) {
        var inquiry = inquiry(request);
        var found = fetches.atHand(inquiry, new Errand(running));
        var usable = found == null ? null : usable(inquiry, found.kept());
        if (found != null && usable != null) {
            long now = System.nanoTime();
            var kept = found.kept();
            parts.add(
                    new Asked(
                            request.key(),
                            request.parent(),
                            request.depth(),
                            found.way(),
                            kept.status(),
                            null,
                            Duration.ofNanos(now - askedNanos),
                            Duration.ofNanos(now - askedNanos),
                            kept.origins().fields(),
                            kept.origins().body(),
                            Optional.of(kept.freshness())));
        }
        return usable;
    }

    @Override
    public Fetching fetch(FragmentRequest request, Consumer<FragmentAnswer<Kept>> answer) {
        if (page.request().isHead()) {
            // Nothing is fetched for a head; what it would be counts as the reader's own.
            answer.accept(new FragmentAnswer.Whole<>(Kept.unknown(request.key())));
            return NOTHING;
        }
        var inquiry = inquiry(request);
        var method = inquiry.request().method();
        var errand = new Pending(request, inquiry, answer);
        if (!FieldNames.isMethod(method)) {
            errand.failed(
                    new Failure(Side.PROXY, Kind.DENIED, "no fragment is asked for by " + method),
                    0);
            return NOTHING;
        }
        errand.begin();
        return errand;
    }

    @Override
    public Kept made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
        return Kept.made(key, bytes, compiled);
    }

    @Override
    public Kept escaped(Kept body, Escape escape) {
        return body.shaped(escape.applied(body.bytes()), null);
    }

    @Override
    public void select(Kept body, String selector, Consumer<@Nullable Kept> answer) {
        var part =
                body.length() > MAX_SEARCHED_BYTES ? null : Selection.first(body.bytes(), selector);
        answer.accept(part == null ? null : body.shaped(part, null));
    }

    @Override
    public void refused(@Nullable CacheKey key, CacheKey parent, int depth, Failure failure) {
        var now = Duration.ofNanos(System.nanoTime() - askedNanos);
        parts.add(
                new Asked(
                        key,
                        parent,
                        depth,
                        Asked.Way.FAILED,
                        0,
                        failure.toString(),
                        now,
                        now,
                        Fields.EMPTY,
                        null,
                        Optional.empty()));
    }

    private Inquiry inquiry(FragmentRequest request) {
        return Inquiry.ofFragment(
                page,
                request.key(),
                new Inclusion(request.terms(), request.parent(), request.depth()).allowed());
    }

    /** {@code kept} as {@code inquiry} wants it, or null if it cannot stand in a page. */
    private @Nullable Kept usable(Inquiry inquiry, Kept kept) {
        var inclusion = inquiry.inclusion();
        var plain = plain(kept);
        if (plain == null || inclusion == null) {
            return null;
        }
        return switch (inclusion.terms().dca()) {
            case UNSAID -> plain;
            case NONE -> plain.compiled() == null ? plain : plain.source();
            // What another host sends is never made to run.
            case ESI ->
                    inclusion.parent().isOfSameAuthority(inquiry.key())
                                    && plain.length() <= Rules.MAX_DOCUMENT_BYTES
                            ? intake.read(plain)
                            : plain;
        };
    }

    private static @Nullable Kept plain(Kept kept) {
        if (!kept.isSuccess() || (kept.status() == 206 && !kept.isShared())) {
            return null;
        }
        if (!kept.isCoded()) {
            return kept;
        }
        return Coding.of(kept.head().fields()).undone(kept.bytes())
                        instanceof Coding.Undone.Plain(var bytes)
                ? kept.decoded(bytes)
                : null;
    }

    /** One that is fetched. On the page's thread, but for {@link #fetched}. */
    private final class Pending implements Fetching {
        private final FragmentRequest request;
        private final Inquiry asked;
        private final Consumer<FragmentAnswer<Kept>> answer;
        private final Errand errand = new Errand(running);
        private final int place = parts.size();
        private final long beganNanos = System.nanoTime();
        private final Duration timeout;
        private final long dueNanos;
        private boolean isOver;

        Pending(FragmentRequest request, Inquiry asked, Consumer<FragmentAnswer<Kept>> answer) {
            this.request = request;
            this.asked = asked;
            this.answer = answer;
            this.timeout =
                    request.terms()
                            .timeout()
                            .filter(own -> own.compareTo(rules.timing().include()) < 0)
                            .orElse(rules.timing().include());
            this.dueNanos = beganNanos + timeout.toNanos();
            parts.add(null);
        }

        void begin() {
            underWay.add(this);
            running.start(
                    "fragment " + request.key().target(),
                    () -> {
                        var came = came();
                        arrivals.add(() -> arrived(came));
                    });
        }

        /** A bug is the page's: it must not wait for ever for what has none. */
        private Came came() {
            try {
                return fetched();
            } catch (RuntimeException | Error bug) {
                arrivals.add(() -> {
                    throw bug;
                });
                throw bug;
            }
        }

        /** Asks, and follows redirects. On its own thread; waits. */
        private Came fetched() {
            var carried = carried();
            if (carried != null) {
                return carried;
            }
            var inquiry = asked;
            for (int redirects = 0; ; redirects++) {
                var found = fetches.find(inquiry, errand);
                if (!(found instanceof Found.Response(var kept, var way, var first))
                        || !isRedirect(kept)) {
                    return new Came(inquiry, found);
                }
                if (redirects == MAX_REDIRECTS) {
                    return Came.failed(
                            inquiry,
                            new Failure(
                                    Side.ORIGIN,
                                    Kind.STATUS,
                                    kept.status(),
                                    asked.key().url()
                                            + " redirects more than "
                                            + MAX_REDIRECTS
                                            + " times"));
                }
                var next = redirected(inquiry, kept);
                if (next instanceof Next.Refused(var why)) {
                    return Came.failed(
                            inquiry,
                            new Failure(
                                    Side.PROXY,
                                    Kind.DENIED,
                                    inquiry.key().url() + " redirects to " + why));
                }
                inquiry = ((Next.To) next).inquiry();
            }
        }

        /** What only the page that brings it along can give; null if it is no such. */
        private @Nullable Came carried() {
            var carrier = store.carrierOf(asked.key());
            var inclusion = asked.inclusion();
            if (carrier == null || inclusion == null) {
                return null;
            }
            var carrying =
                    Inquiry.ofFragment(
                            page,
                            carrier,
                            new Inclusion(
                                    FragmentTerms.NONE, inclusion.parent(), inclusion.depth()));
            var found = fetches.find(carrying, errand);
            if (found instanceof Found.None) {
                return new Came(asked, found);
            }
            var atHand = fetches.atHand(asked, errand);
            if (atHand != null) {
                return new Came(asked, atHand);
            }
            if (found instanceof Found.Response(var kept, var way, var first)
                    && kept.compiled() != null) {
                for (var inline : kept.compiled().inlines()) {
                    if (inline.key().equals(asked.key())) {
                        return new Came(
                                asked, new Found.Response(kept.bringing(inline), way, first));
                    }
                }
            }
            store.forgetCarrierOf(asked.key());
            return Came.failed(
                    asked,
                    new Failure(
                            Side.ORIGIN,
                            Kind.MALFORMED,
                            "no page brings along " + asked.key().url() + " any more"));
        }

        private boolean isRedirect(Kept kept) {
            boolean leadsElsewhere =
                    switch (kept.status()) {
                        case 301, 302, 303, 307, 308 -> true;
                        default -> false;
                    };
            return leadsElsewhere
                    && kept.head().fields().contains("location")
                    && request.terms().followsRedirects();
        }

        private Next redirected(Inquiry from, Kept kept) {
            var location = kept.head().fields().first("location");
            var inclusion = from.inclusion();
            if (location == null || inclusion == null) {
                throw new IllegalStateException("no redirect: " + kept);
            }
            return switch (intake.resolver().resolve(location, from.key())) {
                case Reference.Denied(var why) -> new Next.Refused(why);
                case Reference.Allowed(var key) -> {
                    boolean staysThere = from.key().isOfSameAuthority(key);
                    boolean isRepeated = kept.status() == 307 || kept.status() == 308;
                    yield isRepeated && !staysThere && inclusion.terms().body().isPresent()
                            ? new Next.Refused("a body meant for another host")
                            : new Next.To(
                                    Inquiry.ofFragment(
                                            page,
                                            key,
                                            inclusion.redirected(isRepeated, staysThere)));
                }
            };
        }

        private void arrived(Came came) {
            if (isOver) {
                return;
            }
            switch (came.found()) {
                case Found.None(var failure, var status, var cut) ->
                        without(came.inquiry(), failure, status);
                case Found.Response response -> {
                    var kept = response.kept();
                    var usable = usable(came.inquiry(), kept);
                    if (usable == null) {
                        refused(came.inquiry(), kept);
                        return;
                    }
                    if (!kept.isShared() && came.inquiry().sameAuthority()) {
                        kept.head().fields().all("Set-Cookie").forEach(cookies);
                    }
                    whole(usable, kept, response.way());
                }
            }
        }

        /** What has come is none: for an error, perhaps something stored stands in. */
        private void refused(Inquiry inquiry, Kept kept) {
            boolean isError = !kept.isSuccess() || kept.status() == 206;
            var url = inquiry.key().url();
            var failure =
                    isError
                            ? new Failure(
                                    Side.ORIGIN,
                                    Kind.STATUS,
                                    kept.status(),
                                    url + " gave " + kept.status())
                            : new Failure(
                                    Side.ORIGIN,
                                    Kind.MALFORMED,
                                    kept.status(),
                                    url + " came with a content coding");
            if (StandInCause.isErrorStatus(failure.status())) {
                without(inquiry, failure, kept.status());
            } else {
                failed(failure, kept.status());
            }
        }

        /** Nothing came but {@code failure}: perhaps something stored stands in. */
        private void without(Inquiry inquiry, Failure failure, int status) {
            var standIn = fetches.standIn(inquiry, failure);
            var usable = standIn == null ? null : usable(inquiry, standIn);
            if (standIn == null || usable == null) {
                failed(failure, status);
            } else {
                whole(usable, standIn, Asked.Way.STALE);
            }
        }

        private void whole(Kept usable, Kept kept, Asked.Way way) {
            over(
                    way,
                    kept.status(),
                    null,
                    kept.origins().fields(),
                    kept.origins().body(),
                    store.keeps(kept, way));
            answer.accept(new FragmentAnswer.Whole<>(usable));
        }

        private void failed(Failure failure, int status) {
            over(Asked.Way.FAILED, status, failure.toString());
            answer.accept(new FragmentAnswer.Failed<>(failure));
        }

        void overdue() {
            errand.gone().complete(null);
            without(asked, new Failure(Side.ORIGIN, Kind.TIMEOUT, "not there after " + timeout), 0);
        }

        @Override
        public void cancel() {
            if (!isOver) {
                errand.gone().complete(null);
                over(Asked.Way.FAILED, 0, "given up: the page needs it no more");
            }
        }

        private void over(Asked.Way way, int status, @Nullable String error) {
            over(way, status, error, Fields.EMPTY, null, Optional.empty());
        }

        private void over(
                Asked.Way way,
                int status,
                @Nullable String error,
                Fields fields,
                @Nullable Bytes body,
                Optional<Freshness> freshness) {
            isOver = true;
            underWay.remove(this);
            parts.set(
                    place,
                    new Asked(
                            request.key(),
                            request.parent(),
                            request.depth(),
                            way,
                            status,
                            error,
                            Duration.ofNanos(beganNanos - askedNanos),
                            Duration.ofNanos(System.nanoTime() - askedNanos),
                            fields,
                            body,
                            freshness));
        }
    }

    /** Where a redirect leads. */
    private sealed interface Next {
        record To(Inquiry inquiry) implements Next {}

        record Refused(String why) implements Next {}
    }

    /**
     * What has come of an errand.
     *
     * @param inquiry the last, behind all redirects
     */
    private record Came(Inquiry inquiry, Found found) {
        static Came failed(Inquiry inquiry, Failure failure) {
            return new Came(inquiry, new Found.None(failure, failure.status(), null));
        }
    }
}
