package dev.quire.proxy.path;

import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.assemble.Reference;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.RequestFields;
import dev.quire.core.rule.Ending;
import dev.quire.core.rule.FixedAnswer;
import dev.quire.core.rule.RuledRequest;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.route.Router;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Creates the lookups for the fragments of one page: applies rules and routes. */
final class FragmentLookups {
    private final Exchange exchange;
    private final Lookup page;
    private final Router<RouteTarget> router;
    private final Ruling ruling;

    /** The results for fragments that are to be fetched; empty without rules. */
    private final Map<FragmentRequest, Queue<Found>> kept = new HashMap<>(0);

    /** The request of a fragment without edits, if there are no rules. */
    private final RequestHead unruled;

    FragmentLookups(Exchange exchange, Lookup page, Routing routing) {
        this.exchange = exchange;
        this.page = page;
        this.router = routing.router();
        this.ruling = routing.ruling();
        this.unruled = RequestFields.ofFragments(exchange.request());
    }

    /** Selects targets by rules and routes. */
    record Routing(Router<RouteTarget> router, Ruling ruling) {}

    /** The next step for a fragment. */
    sealed interface Found {
        /** Look into the store, and ask the origin. */
        record Asking(Lookup lookup) implements Found {}

        /** Use the content of a rule. */
        record Answered(FixedAnswer content) implements Found {}

        /** Check a password before the rules are applied further. */
        record Waiting(
                GatedPhase phase,
                GatedPhase.Step.Waiting step,
                CacheKey key,
                Inclusion inclusion,
                int redirects)
                implements Found {}

        /** Omit the fragment. */
        record Refused(String why) implements Found {}
    }

    /**
     * Returns the lookup for {@code page}, which contains a fragment inline; null if rules or
     * routes do not allow it.
     *
     * @param page its URL before the rules
     */
    @Nullable Lookup containing(CacheKey page, Inclusion inclusion) {
        if (ruling.isEmpty()) {
            return lookup(page, inclusion, exchange.ruled(), unruled);
        }
        var ruled = ruling.ofContainingPage(exchange, request(page), inclusion.depth());
        return ruled == null
                ? null
                : lookup(ruled.key(), inclusion, ruled, RequestFields.ofFragments(ruled.head()));
    }

    private @Nullable Lookup lookup(
            CacheKey key, Inclusion inclusion, RuledRequest request, RequestHead head) {
        return routed(key, inclusion, request, head) instanceof Found.Asking(var lookup)
                ? lookup
                : null;
    }

    /** Keeps {@code found} for the fetch of {@code fragment}: limits count it once. */
    void keep(FragmentRequest fragment, Found found) {
        if (!ruling.isEmpty()) {
            kept.computeIfAbsent(fragment, each -> new ArrayDeque<>(1)).add(found);
        }
    }

    /** Returns what was kept for {@code fragment}, once, or else finds it. */
    Found found(FragmentRequest fragment, Inclusion inclusion) {
        var queue = kept.get(fragment);
        var found = queue == null ? null : queue.poll();
        return found == null ? find(fragment.key(), inclusion) : found;
    }

    Found find(CacheKey key, Inclusion inclusion) {
        return ruling.isEmpty()
                ? routed(key, inclusion, exchange.ruled(), unruled)
                : ruled(key, inclusion, FragmentTerms.MAX_REDIRECTS);
    }

    /** Applies the rules, and follows their redirects. */
    private Found ruled(CacheKey key, Inclusion inclusion, int redirects) {
        var phase = ruling.gated(exchange, request(key), inclusion.depth());
        return found(phase, phase.run(), key, inclusion, redirects);
    }

    /** The client's request with the URL of {@code key}. */
    private RequestHead request(CacheKey key) {
        var client = exchange.effective();
        return new RequestHead(
                client.method(), key.scheme(), key.authority(), key.target(), client.fields());
    }

    private Found found(
            GatedPhase phase,
            GatedPhase.Step step,
            CacheKey key,
            Inclusion inclusion,
            int redirects) {
        return switch (step) {
            case GatedPhase.Step.Over(var request) ->
                    routed(
                            request.key(),
                            inclusion,
                            request,
                            RequestFields.ofFragments(request.head()));
            case GatedPhase.Step.Ended(var ending) -> ended(ending, key, inclusion, redirects);
            case GatedPhase.Step.Refused(var refusal) ->
                    new Found.Refused(refusal.failure().detail() + " for " + key.url());
            case GatedPhase.Step.Waiting waiting ->
                    new Found.Waiting(phase, waiting, key, inclusion, redirects);
        };
    }

    /**
     * Checks the password for which {@code waiting} waits.
     *
     * @param then called later with what is to be done, which may be to wait again
     */
    void check(Found.Waiting waiting, Consumer<Found> then) {
        waiting.phase()
                .check(
                        waiting.step(),
                        step ->
                                then.accept(
                                        found(
                                                waiting.phase(),
                                                step,
                                                waiting.key(),
                                                waiting.inclusion(),
                                                waiting.redirects())));
    }

    private Found ended(Ending ending, CacheKey key, Inclusion inclusion, int redirects) {
        return switch (ending) {
            case Ending.Respond(var rule, var content, var fields) when content.status() < 300 ->
                    new Found.Answered(content);
            case Ending.Redirect(var rule, var status, var location) when redirects > 0 ->
                    switch (target(key, inclusion, status, location)) {
                        case Target.To(var next, var asked) -> ruled(next, asked, redirects - 1);
                        case Target.Refused(var why) -> new Found.Refused(why);
                    };
            default ->
                    new Found.Refused("rule '" + ending.rule() + "' does not allow " + key.url());
        };
    }

    private Found routed(
            CacheKey key, Inclusion inclusion, RuledRequest request, RequestHead head) {
        if (!(router.match(key) instanceof Router.Match.Matched<RouteTarget> found)) {
            return new Found.Refused("no route matches " + key.url());
        }
        var terms = inclusion.terms();
        boolean isOfHostOfPage = key.isOfSameAuthority(page.key());
        return new Found.Asking(
                new Lookup(
                        isOfHostOfPage ? key : request.keyFor(key),
                        requestBy(terms, head),
                        request,
                        exchange,
                        terms.body().map(TextBody::new).orElse(null),
                        ruling.isEmpty() ? found.target() : found.target().at(request.origin()),
                        Purpose.INCLUDE,
                        isOfHostOfPage,
                        inclusion,
                        false,
                        ""));
    }

    /** The request as the cache sees it. */
    private static RequestHead requestBy(FragmentTerms terms, RequestHead request) {
        if (terms.fields().isEmpty() && terms.method().equals("GET")) {
            return request;
        }
        return new RequestHead(
                terms.method(),
                request.scheme(),
                request.authority(),
                request.target(),
                terms.edited(request.fields()));
    }

    /** Returns the next step after the origin has redirected {@code fragment}. */
    Found redirected(Lookup fragment, int status, String location) {
        var inclusion = fragment.inclusion();
        if (inclusion == null) {
            return new Found.Refused("not a fragment");
        }
        return switch (target(fragment.key(), inclusion, status, location)) {
            case Target.To(var next, var asked) -> find(next, asked);
            case Target.Refused(var why) -> new Found.Refused(why);
        };
    }

    private sealed interface Target {
        record To(CacheKey key, Inclusion inclusion) implements Target {}

        record Refused(String why) implements Target {}
    }

    private Target target(CacheKey from, Inclusion inclusion, int status, String location) {
        var reference = page.rules().documents().resolver().resolve(location, from);
        if (!(reference instanceof Reference.Allowed(var key))) {
            return new Target.Refused(
                    reference instanceof Reference.Denied(var why) ? why : "not a fragment");
        }
        var terms = inclusion.terms().redirected(status, key.isOfSameAuthority(from));
        return terms.isEmpty()
                ? new Target.Refused("the request body is not for another host")
                : new Target.To(
                        key, new Inclusion(terms.get(), inclusion.parent(), inclusion.depth()));
    }
}
