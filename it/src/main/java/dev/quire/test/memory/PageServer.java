package dev.quire.test.memory;

import dev.quire.core.assemble.Assembler;
import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.Surroundings;
import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.RequestVariables;
import dev.quire.core.expression.Variables;
import dev.quire.core.http.AcceptEncoding;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Conditions;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SignedVariant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The surrogate: keeps what the application answers, and makes pages of it. What only a connection
 * can show is not there: ranges are answered with the whole, nothing is compressed, nothing is
 * refused for want of room, and a page leaves once all of it is there. Any thread; whoever asks
 * waits.
 */
public final class PageServer {
    private static final String LOOPBACK = "127.0.0.1";

    private final Rules rules;
    private final Times times;
    private final Optional<SignedVariant.Key> variants;
    private final Store store;
    private final Intake intake;
    private final Fetches fetches;
    private final RequestVariables.Rules variables;

    /** One in front of {@code upstream} that tells no variants apart, with nothing stored. */
    public PageServer(Upstream upstream, Rules rules, Times times) {
        this(upstream, rules, Optional.empty(), times);
    }

    /**
     * One in front of {@code upstream}, with nothing stored.
     *
     * @param variants what readers' variants are signed with; empty if none are told apart
     */
    public PageServer(
            Upstream upstream, Rules rules, Optional<SignedVariant.Key> variants, Times times) {
        this.rules = rules;
        this.times = times;
        this.variants = variants;
        this.store = new Store(times.now());
        this.intake = new Intake(rules);
        this.fetches = new Fetches(upstream, rules, times, store, intake);
        this.variables = new RequestVariables.Rules(rules.variables());
    }

    /**
     * What {@code reader} gets. Returns once nothing is under way any more that it has started,
     * refreshes included; what the application has not answered by the page's deadline is left to
     * itself.
     */
    public Served serve(RequestHead reader, Bytes body) {
        long asked = System.nanoTime();
        var running = new Running();
        try {
            return new Serving(reader, body, running, asked).serve();
        } finally {
            running.await(rules.timing().page().minus(Duration.ofNanos(System.nanoTime() - asked)));
        }
    }

    /** Drops what bears one of {@code tags}, now and when it comes of a fetch under way. */
    public void purgeTags(Set<String> tags) {
        store.purge(kept -> !Collections.disjoint(kept.tags(), tags), null);
    }

    /** Drops what is stored under {@code keys}, in the same way. */
    public void purge(Set<CacheKey> keys) {
        store.purge(Store.called(keys), null);
    }

    /** One request. On the thread of who asks. */
    private final class Serving {
        private final Inquiry inquiry;
        private final Running running;
        private final long askedNanos;
        private final List<Asked> parts = new ArrayList<>();

        Serving(RequestHead reader, Bytes body, Running running, long askedNanos) {
            var request =
                    new RequestHead(
                            reader.method(),
                            reader.scheme(),
                            reader.authority(),
                            reader.target(),
                            Variant.said(reader.fields(), variants, times.wall().get()));
            this.inquiry =
                    new Inquiry(
                            withoutReservedArguments(CacheKey.of(request)),
                            request,
                            body,
                            Inquiry.forwarded(request),
                            true,
                            null);
            this.running = running;
            this.askedNanos = askedNanos;
        }

        Served serve() {
            return switch (fetches.find(inquiry, new Errand(running))) {
                case Found.Response(var kept, var way, var isFirstHand) ->
                        delivered(kept, way, isFirstHand);
                case Found.None(var failure, var status, var cut) -> {
                    var standIn = fetches.standIn(inquiry, failure);
                    if (standIn != null) {
                        yield delivered(standIn, Asked.Way.STALE, false);
                    }
                    if (cut != null) {
                        yield served(failed(failure, status), passing(cut), cut, true);
                    }
                    parts.add(failed(failure, status));
                    yield error(
                            fetches.forbidsStale(inquiry)
                                    ? ErrorPage.NOT_VALIDATED
                                    : ErrorPage.of(failure));
                }
            };
        }

        private Served delivered(Kept found, Asked.Way way, boolean isFirstHand) {
            var kept = decodedIfNeeded(found);
            var part = came(kept, way);
            if (kept.compiled() != null) {
                parts.add(part);
                return assembled(kept);
            }
            var now = times.now().get();
            boolean mayBeNotModified = kept.isShared() || !isFirstHand;
            if (mayBeNotModified && Conditions.isNotModified(inquiry.request(), kept.head())) {
                parts.add(part);
                return served(Heads.notModified(kept, isFirstHand, now), new byte[0]);
            }
            return served(part, isFirstHand ? passing(kept) : Heads.stored(kept, now), kept, false);
        }

        /** A reader who takes no codings gets the text itself. */
        private Kept decodedIfNeeded(Kept kept) {
            var fields = kept.head().fields();
            boolean isTaken =
                    !kept.isCoded()
                            || !kept.isShared()
                            || AcceptEncoding.of(inquiry.request().fields())
                                    .accepts(fields.all("Content-Encoding"));
            if (!isTaken
                    && Coding.of(fields).undone(kept.bytes())
                            instanceof Coding.Undone.Plain(var plain)) {
                return kept.decoded(plain);
            }
            return kept;
        }

        private ResponseHead passing(Kept kept) {
            boolean isHead = inquiry.request().isHead();
            return Heads.passing(
                    kept, isHead && intake.isDocument(kept.head()), isHead, times.wall().get());
        }

        private Served assembled(Kept page) {
            boolean isHeld =
                    page.compiled() != null
                            && (page.compiled().mustBeWhole()
                                    || rules.onError() == ErrorPolicy.FAIL);
            var head = new AssembledHead(page, times.now(), isHeld);
            var delivery = new Delivery(page, head);
            var fragments =
                    new Fragments(
                            inquiry,
                            fetches,
                            intake,
                            store,
                            rules,
                            running,
                            askedNanos,
                            rules.passSetCookie() ? head::setCookie : ignored -> {});
            assemble(page, delivery, fragments);
            parts.addAll(fragments.parts());
            var failure = delivery.failure();
            if (failure != null) {
                return error(ErrorPage.ofPage(failure));
            }
            var said = head.said();
            var tag = said.tag();
            if (tag != null && Conditions.isNotModified(inquiry.request(), tag)) {
                return served(Heads.notModified(said, times.wall().get()), new byte[0]);
            }
            var body = delivery.body();
            var lines = Heads.page(said, times.wall().get());
            return inquiry.request().isHead()
                    ? served(lines, new byte[0])
                    : served(Heads.withLength(lines, body.length), body);
        }

        private void assemble(Kept page, Delivery delivery, Fragments fragments) {
            var assembler =
                    new Assembler<>(
                            fragments, delivery, rules.limits(), rules.onError(), surroundings());
            long due = System.nanoTime() + rules.timing().page().toNanos();
            assembler.start(page.key(), page);
            assembler.drain();
            try {
                while (!delivery.isOver()) {
                    fragments.advance(due);
                    if (System.nanoTime() - due >= 0) {
                        assembler.expire(new Failure(Side.PROXY, Kind.TIMEOUT, "page-deadline"));
                        assembler.drain();
                        break;
                    }
                    assembler.drain();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                assembler.cancel();
                throw new IllegalStateException(
                        "interrupted while assembling " + page.key().url(), e);
            }
            if (!delivery.isOver()) {
                throw new IllegalStateException(
                        "every fragment has answered or is late, but "
                                + page.key().url()
                                + " is not whole");
            }
        }

        private Surroundings surroundings() {
            var reader = inquiry.request();
            var known =
                    new RequestVariables(
                            new RequestHead(
                                    reader.method(),
                                    reader.scheme(),
                                    reader.authority(),
                                    reader.target(),
                                    inquiry.forwarded()),
                            LOOPBACK,
                            variables,
                            Optional.empty());
            return new Surroundings() {
                @Override
                public Evaluation evaluation(Evaluation.Problems problems) {
                    return new Evaluation(
                            times.wall().get(), ThreadLocalRandom.current(), problems);
                }

                @Override
                public Variables variables(CacheKey key) {
                    return known.of(key);
                }
            };
        }

        private Asked came(Kept kept, Asked.Way way) {
            return part(
                    way,
                    kept.status(),
                    null,
                    kept.origins().fields(),
                    kept.origins().body(),
                    store.keeps(kept, way));
        }

        private Asked failed(Failure failure, int status) {
            return part(
                    Asked.Way.FAILED,
                    status,
                    failure.toString(),
                    Fields.EMPTY,
                    null,
                    Optional.empty());
        }

        private Asked part(
                Asked.Way way,
                int status,
                @Nullable String error,
                Fields fields,
                @Nullable Bytes body,
                Optional<Freshness> freshness) {
            return new Asked(
                    inquiry.key(),
                    null,
                    0,
                    way,
                    status,
                    error,
                    Duration.ZERO,
                    Duration.ofNanos(System.nanoTime() - askedNanos),
                    fields,
                    body,
                    freshness);
        }

        private Served served(Asked part, ResponseHead head, Kept kept, boolean isCut) {
            parts.add(part);
            return new Served(
                    head,
                    inquiry.request().isHead() ? Bytes.NONE : new Bytes(kept.bytes()),
                    isCut,
                    parts);
        }

        private Served served(ResponseHead head, byte[] body) {
            return new Served(head, new Bytes(body), false, parts);
        }

        private Served error(ErrorPage page) {
            return served(
                    Heads.error(page, times.wall().get()),
                    inquiry.request().isHead() ? new byte[0] : Heads.text(page));
        }
    }

    /** The arguments of a query that are for pages' expressions alone are no part of a key. */
    private CacheKey withoutReservedArguments(CacheKey key) {
        int question = key.target().indexOf('?');
        var prefix = rules.variables().argumentsPrefix();
        if (prefix.isEmpty() || question < 0) {
            return key;
        }
        var kept = new StringBuilder();
        for (var argument : key.target().substring(question + 1).split("&", -1)) {
            if (!argument.startsWith(prefix.get())) {
                kept.append(kept.isEmpty() ? '?' : '&').append(argument);
            }
        }
        return new CacheKey(key.scheme(), key.authority(), key.path() + kept);
    }
}
