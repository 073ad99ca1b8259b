package dev.quire.proxy.path;

import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.core.policy.SurrogateCapability;
import dev.quire.proxy.cache.Form;
import dev.quire.proxy.cache.IntakeRules;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.route.EsiMode;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * One resource asked for.
 *
 * @param request as the cache sees it: its fields pick the variant
 * @param exchange whose request it is, or whose page holds it
 * @param purpose what an answer is for when it may be stored
 * @param sameAuthority whether the client's credentials may go along
 * @param inclusion null unless it is asked for as a fragment
 * @param isDelegated whether the client is a surrogate that assembles pages itself
 */
record Inquiry(
        CacheKey key,
        RequestHead request,
        Exchange exchange,
        @Nullable RequestBody body,
        Lane lane,
        Purpose purpose,
        boolean sameAuthority,
        @Nullable Inclusion inclusion,
        boolean isDelegated) {

    /**
     * The page that {@code exchange} asks for.
     *
     * @param trustsDownstream whether trusted clients may assemble it themselves. Never where there
     *     is no ESI: what came for one of them could not be told from what is for everybody
     */
    static Inquiry ofPage(Exchange exchange, CacheKey key, Lane lane, boolean trustsDownstream) {
        boolean isDelegated =
                trustsDownstream
                        && lane.rules().esi() != EsiMode.OFF
                        && exchange.peer().isTrusted()
                        && SurrogateCapability.announcesEsi(exchange.request().fields());
        return new Inquiry(
                key,
                exchange.request(),
                exchange,
                exchange.body(),
                lane,
                Purpose.STORE,
                true,
                null,
                isDelegated);
    }

    EventLoop loop() {
        return exchange.loop();
    }

    /** How answers are taken in for it. */
    IntakeRules rules() {
        return lane.rules()
                .asking(
                        inclusion == null ? AuthorLifetime.UNSAID : inclusion.lifetime(),
                        wantsSource());
    }

    /** Whether an ESI document is wanted as it came. */
    boolean wantsSource() {
        return isDelegated || (inclusion != null && inclusion.wantsSource());
    }

    /** The stored response that can serve it, or null; the caller owns a reference. */
    @Nullable StoredResponse storedIn(PageStore store) {
        var stored = mayBeStored() ? store.find(key, request) : null;
        if (stored == null || isServedBy(stored)) {
            return stored;
        }
        stored.release();
        return null;
    }

    /** Whether what is wanted of {@code response} is in it. */
    boolean isServedBy(StoredResponse response) {
        return !wantsSource() || response.compiled() == null || response.has(Form.Whole.SOURCE);
    }

    /**
     * Passes the cache for a reason of the include or of content codings; null if there is none.
     */
    @Nullable CacheDecision<StoredResponse> pass(@Nullable StoredResponse stored) {
        if (!mayBeStored() && request.isGet() && body == null) {
            return new CacheDecision.Pass<>(CacheDecision.PassReason.NO_STORE);
        }
        return stored == null || canTake(stored)
                ? null
                : new CacheDecision.Pass<>(CacheDecision.PassReason.CODING);
    }

    /**
     * Whether the client can be sent {@code response}: he takes its content coding, or we can undo
     * it. Where no origin hears of codings asking it again would change nothing.
     */
    boolean canTake(StoredResponse response) {
        return !response.isCoded()
                || inclusion != null
                || lane.rules().esi() != EsiMode.OFF
                || accepts(response)
                || response.isCodedReadably();
    }

    /** Whether the client takes the content codings of {@code response}. */
    boolean accepts(StoredResponse response) {
        return exchange.accepted().accepts(response.head().fields().all("Content-Encoding"));
    }

    /** Whether a stored response may answer it: not another method, and not a request's content. */
    boolean isAnsweredFromStore() {
        return (request.isGet() || request.isHead()) && body == null;
    }

    /** Where there can be no ESI, a part of a response is the origin's to give. */
    boolean asksForPart() {
        return rules().esi() == EsiMode.OFF
                && purpose == Purpose.STORE
                && RangeAnswer.asksForOnePart(request);
    }

    /** The page's own origin hears the name the client used, any other one its own. */
    String authority() {
        return sameAuthority ? request.authority() : key.authority();
    }

    /** Whether the answer may come from the store, and go there. */
    private boolean mayBeStored() {
        return inclusion == null || inclusion.mayBeStored();
    }
}
