package dev.quire.proxy.path;

import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.SurrogateCapability;
import dev.quire.core.policy.UpgradeRequest;
import dev.quire.core.rule.ResponsePhase;
import dev.quire.core.rule.RuledRequest;
import dev.quire.proxy.cache.DerivedForm;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.RouteCacheRules;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.cache.VariantRequest;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.route.EsiProcessing;
import io.netty.channel.EventLoop;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request for one resource, a page or a fragment.
 *
 * @param request the request as the cache sees it
 * @param ruled the request with what rules decided
 * @param exchange the exchange of the page
 * @param purpose the purpose of a fetch whose response may be stored
 * @param sameAuthority whether it has the page's scheme, host and port; other hosts are sent {@link
 *     RuledRequest#fieldsFor}
 * @param inclusion null for a page
 * @param isDelegated whether the client is a surrogate that assembles pages itself
 * @param capabilities what the origin learns of a surrogate in front, members of {@code
 *     Surrogate-Capability}; may be empty
 */
record Lookup(
        CacheKey key,
        RequestHead request,
        RuledRequest ruled,
        Exchange exchange,
        @Nullable RequestBody body,
        RouteTarget target,
        Purpose purpose,
        boolean sameAuthority,
        @Nullable Inclusion inclusion,
        boolean isDelegated,
        String capabilities)
        implements VariantRequest {

    /** The field with the certificate of the client (RFC 9440). */
    private static final String CLIENT_CERT = "Client-Cert";

    private static final List<String> CERTIFICATE_ALONE = List.of("client-cert");

    /**
     * Returns the lookup for the page of {@code exchange}.
     *
     * @param trustsDownstream whether trusted clients may assemble pages themselves, and announce
     *     capabilities to the origin. Never applies where ESI is off
     */
    static Lookup ofPage(
            Exchange exchange, CacheKey key, RouteTarget target, boolean trustsDownstream) {
        boolean isHeard =
                trustsDownstream
                        && target.rules().esi() != EsiProcessing.OFF
                        && exchange.peer().isTrusted();
        var received = exchange.receivedFields();
        return new Lookup(
                key,
                exchange.request(),
                exchange.ruled(),
                exchange,
                exchange.body(),
                target,
                Purpose.STORE,
                true,
                null,
                isHeard && SurrogateCapability.announcesEsi(received),
                isHeard ? SurrogateCapability.forwarded(received) : "");
    }

    /** Returns the lookup for an error page, whose request {@code exchange} serves. */
    static Lookup ofErrorPage(Exchange exchange, CacheKey key, RouteTarget target) {
        return new Lookup(
                key,
                exchange.request(),
                exchange.ruled(),
                exchange,
                null,
                target,
                Purpose.STORE,
                true,
                null,
                false,
                "");
    }

    /** The handshake for the tunnel that the client asks for, or null. */
    UpgradeRequest.@Nullable WebSocket upgrade() {
        var tunnel = exchange.tunnel();
        return tunnel == null || inclusion != null ? null : tunnel.handshake();
    }

    EventLoop loop() {
        return exchange.loop();
    }

    RouteCacheRules rules() {
        var rules =
                target.rules()
                        .asking(
                                inclusion == null ? AuthorLifetime.UNSAID : inclusion.lifetime(),
                                wantsSource());
        return target.responses().isEmpty()
                ? rules
                : rules.ruledBy(new ResponsePhase(target.responses(), key, ruled.variables()));
    }

    /** Whether an ESI document is wanted unprocessed. */
    boolean wantsSource() {
        return isDelegated || (inclusion != null && inclusion.wantsSource());
    }

    /** Returns the stored response that can serve it, or null; the caller owns a reference. */
    @Nullable StoredResponse storedIn(PageStore store) {
        var stored = mayBeStored() ? store.find(key, this) : null;
        if (stored == null || canUse(stored)) {
            return stored;
        }
        stored.release();
        return null;
    }

    /**
     * Returns {@code inFile} if it is a hit at {@code now}, otherwise the stored response that can
     * serve it, or null: a body in a file can only be sent. Takes over the reference, and the
     * caller owns one.
     */
    @Nullable StoredResponse storedIn(
            PageStore store, @Nullable StoredResponse inFile, Instant now) {
        if (inFile == null) {
            return storedIn(store);
        }
        if (canUse(inFile)
                && decided(inFile, false, false, now)
                        instanceof CacheDecision.Hit<StoredResponse>) {
            return inFile;
        }
        inFile.release();
        return storedIn(store);
    }

    /** Whether {@code stored} was stored in the way that is needed. */
    private boolean canUse(StoredResponse stored) {
        return stored.isParsedUnder(target.rules().parsing()) && isServedBy(stored);
    }

    /** Whether {@code response} has the source, if that is wanted. */
    boolean isServedBy(StoredResponse response) {
        return !wantsSource()
                || response.compiled() == null
                || response.has(DerivedForm.Whole.SOURCE);
    }

    /** Returns a pass demanded by an upgrade, a rule or the include, or null. */
    @Nullable CacheDecision<StoredResponse> pass() {
        if (upgrade() != null) {
            return new CacheDecision.Pass<>(CacheDecision.PassReason.UPGRADE);
        }
        if (ruled.passes() && isAnsweredFromStore()) {
            return new CacheDecision.Pass<>(CacheDecision.PassReason.RULE);
        }
        return !mayBeStored() && request.isGet() && body == null
                ? new CacheDecision.Pass<>(CacheDecision.PassReason.NO_STORE)
                : null;
    }

    /**
     * Returns the decision about it.
     *
     * @param stored the stored response that can serve it, or null
     * @param hasVariants whether there are others for its URL
     * @param isNoted whether the last response was not cacheable
     */
    CacheDecision<StoredResponse> decided(
            @Nullable StoredResponse stored, boolean hasVariants, boolean isNoted, Instant now) {
        var pass = pass();
        return pass != null
                ? pass
                : CachePolicy.decide(
                        request,
                        exchange.directives(),
                        body != null,
                        stored,
                        hasVariants,
                        isNoted,
                        now);
    }

    @Override
    public boolean accepts(StoredResponse response) {
        if (!response.isCoded()) {
            return true;
        }
        // A page cannot contain coded content.
        return inclusion == null && isAccepted(response.coding(), response.head().fields());
    }

    @Override
    public boolean canTake(StoredResponse response) {
        return accepts(response)
                || (inclusion == null ? response.mayBeDecoded() : response.coding().isUndoable());
    }

    private boolean isAccepted(ContentCoding coding, Fields response) {
        return coding == ContentCoding.OTHER
                ? exchange.accepted().accepts(response.all("Content-Encoding"))
                : exchange.accepted().accepts(coding);
    }

    /** Whether a stored response may answer it: GET or HEAD without a body or an upgrade. */
    boolean isAnsweredFromStore() {
        return (request.isGet() || request.isHead()) && body == null && upgrade() == null;
    }

    Fields fields() {
        return request.fields();
    }

    /** Whether its range may be requested from the origin. */
    boolean asksForPart() {
        return inclusion == null && body == null && RangeAnswer.asksForOnePart(request);
    }

    /** Whether trailer fields of the response are sent to the client. */
    boolean takesTrailers() {
        return inclusion == null && exchange.takesTrailers();
    }

    /** The request as sent to the origin to fill the store. */
    SentRequest sent() {
        var sent = new SentRequest(request, sentFields(purpose), keyedFields(), editedFields());
        return capabilities.isEmpty()
                ? sent
                : sent.keyedBy(SurrogateCapability.FIELD, capabilities);
    }

    /** The fields of the client and of the include that a request for {@code use} contains. */
    Fields sentFields(Purpose use) {
        var fields =
                new SentFields(
                        sameAuthority ? ruled.head().fields() : ruled.fieldsFor(key),
                        use,
                        codings());
        var sent = inclusion == null ? fields : inclusion.sentWith(fields, key);
        return sendsCertificate() ? withCertificate(sent, exchange.peer().certificate()) : sent;
    }

    /** Whether the origin gets the certificate of the client, if it has one. */
    private boolean sendsCertificate() {
        return sameAuthority && target.sendsCertificates();
    }

    private static Fields withCertificate(Fields sent, @Nullable String certificate) {
        return certificate == null
                ? sent
                : new Fields.Builder()
                        .addAll(sent.without(CLIENT_CERT::equalsIgnoreCase))
                        .add(CLIENT_CERT, certificate)
                        .build();
    }

    /** The Accept-Encoding for the origin; null for none. */
    private @Nullable String codings() {
        var accepted = exchange.accepted();
        return target.mayBeDocument() ? accepted.decodableForOrigin() : accepted.forOrigin();
    }

    @Override
    public boolean isSelectedBy(SelectingFields variant) {
        // Most responses are selected by no field; this allocates nothing for them.
        return variant.isEmpty()
                ? keyedFields().isEmpty() && capabilities.isEmpty() && editedFields().isEmpty()
                : sent().isSelectedBy(variant);
    }

    /** Claims are not sent to other hosts. */
    private List<String> keyedFields() {
        return sameAuthority ? exchange.keyedFields() : List.of();
    }

    /**
     * Whether the include sends values of the reader, so that others can rarely use the response.
     */
    boolean isOfOneReader() {
        return inclusion != null && !inclusion.terms().fieldsFromReader().isEmpty();
    }

    private List<String> editedFields() {
        var byRules = ruled.unkeyedFields();
        var edited =
                inclusion == null ? byRules : joined(byRules, inclusion.terms().fieldsFromReader());
        return sendsCertificate() ? joined(edited, CERTIFICATE_ALONE) : edited;
    }

    private static List<String> joined(List<String> some, List<String> others) {
        return some.isEmpty()
                ? others
                : Stream.concat(some.stream(), others.stream()).distinct().toList();
    }

    /** Whether the response may be served from the store and stored. */
    private boolean mayBeStored() {
        return !ruled.passes() && (inclusion == null || inclusion.mayBeStored());
    }
}
