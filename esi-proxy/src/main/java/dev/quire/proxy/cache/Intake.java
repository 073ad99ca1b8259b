package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.Admission.Treatment;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.Moments;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.Verdict;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes in one response of an origin: has its head judged, collects its body if that is worth it,
 * and makes the {@link StoredResponse}. Confined to the loop that fetches.
 */
final class Intake {
    private final CacheKey key;
    private final IntakeRules rules;
    private final Admission admission;
    private final StoredResponses responses;
    private final Surroundings around;

    private Judged judged = Judged.UNSTAMPED;
    private @Nullable ResponseHead head;
    private @Nullable Freshness freshness;
    private SelectingFields selecting = SelectingFields.EMPTY;
    private boolean isShared;
    private @Nullable BodyCollector body;

    /**
     * @param mayStore whether the request was one whose answer serves others too
     */
    Intake(
            CacheKey key,
            RequestHead request,
            IntakeRules rules,
            boolean mayStore,
            Surroundings around) {
        // Of many keys that are kept few name different authorities.
        this.key = new CacheKey(key.scheme(), StoredContent.shared(key.authority()), key.target());
        this.rules = rules;
        this.admission = rules.admission(request, mayStore);
        this.responses = new StoredResponses(this.key, request, rules, around.heads());
        this.around = around;
    }

    /**
     * Judges whose the tags of the document behind {@code received} are, if it is one: once, and by
     * nothing but the stamp of the request it answers.
     *
     * @param sent null if that bore none
     * @return the head as everybody else is to see it
     */
    ResponseHead judged(ResponseHead received, @Nullable Stamp sent) {
        var verdict = rules.verdict(received, sent);
        judged = new Judged(verdict, sent);
        if (rules.isDocument(received)) {
            around.events().judged(rules.route(), verdict);
        }
        return IntakeRules.judged(received, verdict);
    }

    /** How long what is taken in may be kept; empty as long as nothing is. */
    Optional<Freshness> freshness() {
        return Optional.ofNullable(freshness);
    }

    /** Whether what was judged is stamped. */
    boolean isStamped() {
        return judged.verdict() == Verdict.STAMPED;
    }

    /**
     * Decides by the head; the body, if it is kept, follows through {@link #add}.
     *
     * @param isForPage whether it is to stand in a page, which can do with no content coding
     */
    Treatment begin(ResponseHead received, Moments moments, boolean isForPage) {
        boolean isDocument = judged.verdict() != Verdict.INERT && rules.isDocument(received);
        var treatment =
                admission.of(
                        received, moments, new Admission.Body(isDocument, isStamped(), isForPage));
        switch (treatment) {
            case Treatment.Store store -> {
                isShared = true;
                freshness = store.freshness();
                take(received, moments, store.isDocument(), isForPage);
            }
            case Treatment.Compile compile -> {
                freshness = StoredContent.justNow(moments.receivedAt());
                take(received, moments, compile.isDocument(), isForPage);
            }
            case Treatment.Flow ignored -> {}
            case Treatment.TooLarge ignored -> {}
        }
        return treatment;
    }

    private void take(
            ResponseHead received, Moments moments, boolean isDocument, boolean isForPage) {
        boolean mustBePlain = isForPage || rules.mayBeParsed(received);
        var coding = ContentCoding.of(received.fields());
        var inflating = mustBePlain ? Inflating.of(received.fields()) : null;
        selecting = responses.selecting(received);
        body =
                new BodyCollector(
                        key,
                        around.transit(),
                        isDocument ? rules.documents().maxBytes() : rules.maxObjectBytes(),
                        isDocument
                                ? new EsiParser(rules.documents().reading(received, judged.tags()))
                                : null,
                        inflating,
                        isDocument && coding.isCoded() && inflating == null);
        head = StoredResponses.kept(received, moments, inflating != null);
    }

    /** Which requests the response answers. */
    SelectingFields selecting() {
        return selecting;
    }

    /** Keeps {@code data}, which stays the caller's; a failure ends the intake. */
    @Nullable Failure add(ByteBuf data) {
        return present(body).add(data);
    }

    /**
     * No more comes: a failure if the body is not whole by its own coding, or not as it must be.
     */
    @Nullable Failure ended() {
        var collected = present(body);
        var failure = collected.ended();
        var page = collected.page();
        if (failure != null || page == null) {
            return failure;
        }
        boolean isStrict = rules.documents().isStrict();
        around.events().parsed(key, page, isStrict);
        return isStrict && page.errors() > 0
                ? new Failure(
                        Side.ORIGIN,
                        Kind.MALFORMED,
                        key.url() + ":" + page.diagnostics().getFirst())
                : null;
    }

    /** Whether what has been kept is, byte by byte, what was added, and needs no parsing. */
    boolean isAsReceived() {
        return present(body).isAsReceived();
    }

    /** A copy of at most {@code most} bytes of what is kept, from {@code from} on. */
    ByteBuf copy(int from, int most) {
        return present(body).copy(from, most);
    }

    /** How much of the body is kept. */
    long keptBytes() {
        return body == null ? 0 : body.keptBytes();
    }

    /** What has been kept, which from now on is the caller's; null if nothing has. */
    @Nullable ByteBuf surrender() {
        return body == null ? null : body.surrender();
    }

    /** The response, once it has {@link #ended}. The caller owns its first reference. */
    StoredResponse finish() {
        return responses.of(
                present(head), present(freshness), selecting, judged, present(body), isShared);
    }

    /**
     * {@code stale} under the fields of a 304, or of a 200 to HEAD that confirms it (RFC 9111
     * §4.3.4, §4.3.5); null if it may not be kept, or is not any more what was made of its body.
     */
    @Nullable StoredResponse validated(StoredResponse stale, ResponseHead merged, Moments moments) {
        return responses.validated(stale, merged, moments, admission);
    }

    /** Whether nothing but a cookie forbids to keep an answer to GET like {@code received}. */
    boolean isForItsCookieAlone(ResponseHead received, Moments moments) {
        return admission.isRefusedForCookieAlone(received, moments);
    }

    /** Drops what has been kept. */
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
