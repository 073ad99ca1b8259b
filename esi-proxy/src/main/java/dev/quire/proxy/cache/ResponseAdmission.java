package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.Admission.Decision;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.ResponseTimes;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.rule.ResponsePhase;
import dev.quire.proxy.gzip.BodyDecoder;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives one response of an origin: judges its head, collects its body if needed, and creates the
 * {@link StoredResponse}. Confined to the loop of the fetch.
 */
final class ResponseAdmission {
    private final CacheKey key;
    private final SentRequest request;
    private final RouteCacheRules given;
    private final boolean mayStore;
    private final FetchResources resources;

    /** The rules for the current response: the given ones, as response rules change them. */
    private RouteCacheRules rules;

    private Admission admission;
    private StoredResponses responses;
    private @Nullable Failure rejection;

    private StampTrust judged = StampTrust.UNSTAMPED;
    private DocumentKind kind = DocumentKind.NONE;
    private @Nullable ResponseHead head;
    private @Nullable Freshness freshness;
    private SelectingFields selecting = SelectingFields.EMPTY;
    private boolean isShared;
    private @Nullable BodyCollector body;

    /**
     * @param mayStore whether the response may serve other requests
     */
    ResponseAdmission(
            CacheKey key,
            SentRequest request,
            RouteCacheRules rules,
            boolean mayStore,
            FetchResources resources) {
        this.key = StoredContent.shared(key);
        this.request = request;
        this.given = rules;
        this.mayStore = mayStore;
        this.rules = rules;
        this.admission = rules.admission(request, mayStore);
        this.responses = new StoredResponses(this.key, request, rules, resources.heads());
        this.resources = resources;
    }

    /** Applies the response rules, if there are any. */
    private ResponseHead ruled(ResponseHead received) {
        var phase = given.phase();
        if (phase == null) {
            return received;
        }
        var result = phase.applied(received, resources.time().wall());
        resources.events().ruled(result.applied(), result.failed());
        rejection = result.fails() ? rejection(result) : null;
        rules = given.under(result);
        admission = rules.admission(request, mayStore);
        var replaced = ReplacedLines.between(received.fields(), result.head().fields());
        if (replaced != null) {
            admission = admission.afterRules(received.fields());
        }
        responses = new StoredResponses(key, request, rules, resources.heads(), replaced);
        return result.head();
    }

    private Failure rejection(ResponsePhase.Result result) {
        int status = result.head().status();
        return new Failure(
                Side.ORIGIN,
                Kind.STATUS,
                StandInCause.isErrorStatus(status) ? status : 502,
                "rule '" + result.applied().getLast() + "' rejects the response of " + key.url());
    }

    /** Why a rule makes the response a failure of the origin, or null. */
    @Nullable Failure rejection() {
        return rejection;
    }

    /**
     * Applies the response rules, and judges which tags of a document are processed: once, and only
     * by the stamp of its request.
     *
     * @param sent null if the request had no stamp
     * @return the head as all later steps see it
     */
    ResponseHead judged(ResponseHead arrived, @Nullable Stamp sent) {
        var received = ruled(arrived);
        var stampStatus = rules.stampStatus(received, sent);
        judged = new StampTrust(stampStatus, sent);
        if (rules.isDocument(received)) {
            resources.events().judged(rules.route(), stampStatus);
        }
        var head = RouteCacheRules.judged(received, stampStatus);
        kind = kind(head, stampStatus);
        return head;
    }

    private DocumentKind kind(ResponseHead judged, StampStatus stampStatus) {
        if (rules.isPartOfDocument(judged)) {
            return DocumentKind.PART;
        }
        if (stampStatus == StampStatus.INERT || !rules.isDocument(judged)) {
            return DocumentKind.NONE;
        }
        return stampStatus == StampStatus.STAMPED ? DocumentKind.STAMPED : DocumentKind.UNSTAMPED;
    }

    /** The kind of the response whose head was judged last. */
    DocumentKind kind() {
        return kind;
    }

    /** Returns the head of which {@code judged} is the result, without the changes of the rules. */
    ResponseHead arrived(ResponseHead judged) {
        var replaced = responses.replaced();
        return replaced == null ? judged : replaced.undone(judged);
    }

    /** The freshness of the response; empty unless its body is collected. */
    Optional<Freshness> freshness() {
        return Optional.ofNullable(freshness);
    }

    /**
     * Decides by the head; if the body is collected, it follows through {@link #add}.
     *
     * @param isForPage whether it is for a page, which needs it without content coding
     */
    Decision begin(ResponseHead received, ResponseTimes times, boolean isForPage) {
        boolean isStamped = kind == DocumentKind.STAMPED;
        var decision =
                admission.of(
                        received,
                        times,
                        new Admission.Body(kind.isDocument(), isStamped, isForPage));
        switch (decision) {
            case Decision.Store store -> {
                isShared = true;
                freshness = store.freshness();
                take(received, times, store.isDocument(), isForPage);
            }
            case Decision.Compile compile -> {
                freshness = StoredContent.justNow(times.receivedAt());
                take(received, times, compile.isDocument(), isForPage);
            }
            case Decision.Flow ignored -> {}
            case Decision.TooLarge ignored -> {}
        }
        return decision;
    }

    private void take(
            ResponseHead received, ResponseTimes times, boolean isDocument, boolean isForPage) {
        var coding = ContentCoding.of(received.fields());
        var decoder = isForPage || isDocument ? BodyDecoder.of(coding) : null;
        selecting = responses.selecting(received);
        if (decoder != null) {
            responses = responses.decoded();
        }
        body =
                new BodyCollector(
                        key,
                        resources.transit(),
                        isDocument ? rules.documents().maxBytes() : rules.maxObjectBytes(),
                        isDocument
                                ? new EsiParser(rules.documents().reading(received, judged.tags()))
                                : null,
                        decoder,
                        isDocument && coding.isCoded() && decoder == null);
        head = StoredResponses.kept(received, admission.received(), times, decoder != null);
    }

    /** The requests to which the response applies. */
    SelectingFields selecting() {
        return selecting;
    }

    /** Adds {@code data}, which remains owned by the caller; a failure ends the admission. */
    @Nullable Failure add(ByteBuf data) {
        return present(body).add(data);
    }

    /**
     * Ends the body and calls {@code then} on {@code loop}, at once or after decoding, unless it is
     * discarded meanwhile. {@code then} receives a failure if the content coding or, in strict
     * mode, the markup is malformed.
     */
    void ended(Executor loop, Consumer<@Nullable Failure> then) {
        var collected = present(body);
        collected.ended(loop, failure -> then.accept(checked(collected.page(), failure)));
    }

    private @Nullable Failure checked(@Nullable ParsedPage page, @Nullable Failure failure) {
        if (failure != null || page == null) {
            return failure;
        }
        boolean isStrict = rules.documents().isStrict();
        resources.events().parsed(key, page, isStrict);
        return isStrict && page.errors() > 0
                ? new Failure(
                        Side.ORIGIN,
                        Kind.MALFORMED,
                        key.url() + ":" + page.diagnostics().getFirst())
                : null;
    }

    /** Whether the collected bytes are the received bytes and need no parsing. */
    boolean isAsReceived() {
        return present(body).isAsReceived();
    }

    /** Whether the rest of the body announced by {@code received} may still be collected. */
    boolean hasRoom(ResponseHead received) {
        long announced = Admission.announcedBytes(received.fields());
        return resources.transit().hasRoom(Math.max(1, announced - keptBytes()));
    }

    /** Copies at most {@code most} of the collected bytes, starting at {@code from}. */
    ByteBuf copy(int from, int most) {
        return present(body).copy(from, most);
    }

    long keptBytes() {
        return body == null ? 0 : body.keptBytes();
    }

    /** Returns the collected bytes, now owned by the caller, or null if empty. */
    @Nullable ByteBuf surrender() {
        return body == null ? null : body.surrender();
    }

    /** Creates the response after {@link #ended}. The caller owns its first reference. */
    StoredResponse finish() {
        return responses.of(
                present(head), present(freshness), selecting, judged, present(body), isShared);
    }

    /**
     * Updates {@code stale} with the fields of a 304, or of a 200 to HEAD that validates it (RFC
     * 9111 §4.3.4, §4.3.5). Returns null if the result is not cacheable, or if the parsed body no
     * longer applies.
     */
    @Nullable StoredResponse validated(
            StoredResponse stale, ResponseHead merged, ResponseTimes times) {
        var changed = ruled(merged);
        return rejection == null ? responses.validated(stale, changed, times, admission) : null;
    }

    /** Whether only a cookie makes the GET response for {@code received} not cacheable. */
    boolean isForItsCookieAlone(ResponseHead received, ResponseTimes times) {
        return admission.isRefusedForCookieAlone(received, times);
    }

    /** Drops the collected bytes. */
    void discard() {
        if (body != null) {
            body.discard();
        }
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("body data before the head");
        }
        return value;
    }
}
