package dev.quire.proxy.cache;

import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ForwardedFields;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.ResponseTimes;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.SurrogateControl;
import org.jspecify.annotations.Nullable;

/**
 * Creates the stored responses of one request.
 *
 * @param key their key in the store
 * @param heads renders their heads
 * @param replaced by response rules; null if these have not changed the head
 */
record StoredResponses(
        CacheKey key,
        SentRequest request,
        RouteCacheRules rules,
        HeadBytes heads,
        @Nullable ReplacedLines replaced) {

    StoredResponses(CacheKey key, SentRequest request, RouteCacheRules rules, HeadBytes heads) {
        this(key, request, rules, heads, null);
    }

    /** Returns the same for bodies of which the content coding is removed. */
    StoredResponses decoded() {
        return replaced == null
                ? this
                : new StoredResponses(key, request, rules, heads, replaced.decoded());
    }

    /**
     * Creates the response for {@code body}, which has ended. The caller owns its first reference.
     *
     * @param head its head, as returned by {@link #kept}
     */
    StoredResponse of(
            ResponseHead head,
            Freshness freshness,
            SelectingFields selecting,
            StampTrust judged,
            BodyCollector body,
            boolean isShared) {
        var page = body.page();
        boolean keepsSource = page != null && rules.keepsSource();
        var source = keepsSource ? new DerivedForm.Content(body.source(), null) : null;
        var whole = body.exactly();
        var compiled =
                page == null ? null : rules.documents().compiled(page, key, head, judged.tags());
        var text = heads.render(head, whole.readableBytes(), compiled != null, isShared);
        var content =
                StoredContent.of(key, head, text, whole, freshness, selecting, isShared)
                        .compiled(
                                compiled,
                                keepsSource && judged.stampStatus() == StampStatus.STAMPED
                                        ? judged
                                        : judged.withoutStamp(),
                                rules.parsing(),
                                rules.storage())
                        .replacing(replaced);
        var response = new StoredResponse(content);
        if (source != null) {
            response.keep(DerivedForm.Whole.SOURCE, source);
        }
        return response;
    }

    /**
     * Updates {@code stale} with {@code validating}, its own head merged with the fields of a 304
     * or of a response to HEAD. Returns null if the result is not cacheable, or if the parsed body
     * no longer applies.
     */
    @Nullable StoredResponse validated(
            StoredResponse stale,
            ResponseHead validating,
            ResponseTimes times,
            Admission admission) {
        var merged = renewed(stale, validating);
        var freshness =
                admission.renewal(
                        stale.head().fields(),
                        merged,
                        times,
                        stale.compiled() != null,
                        stale.stampStatus() != StampStatus.INERT && rules.isDocument(merged));
        if (freshness == null) {
            return null;
        }
        var updated = kept(merged, admission.received(), times, false);
        return stale.validated(
                updated,
                heads.render(updated, stale.length(), stale.compiled() != null, stale.isShared()),
                freshness,
                selecting(updated),
                replaced,
                rules.storage());
    }

    /**
     * Keeps the ESI directives and the stamp status of a judged document: they came with its body,
     * and a response without a body may omit them.
     */
    private static ResponseHead renewed(StoredResponse stale, ResponseHead merged) {
        var fields =
                stale.stampStatus() == StampStatus.UNSTAMPED
                        ? SurrogateControl.withoutStamps(merged.fields())
                        : SurrogateControl.renewed(stale.head().fields(), merged.fields());
        return fields.equals(merged.fields())
                ? merged
                : new ResponseHead(merged.status(), merged.reason(), fields);
    }

    /** Not by Accept-Encoding: {@link Variants} compares the codings themselves. */
    SelectingFields selecting(ResponseHead received) {
        return SelectingFields.of(received.fields(), request).without("accept-encoding");
    }

    /**
     * Returns the head to store: without hop-by-hop fields, with a Date, and without fields of a
     * removed coding.
     *
     * @param arrived the fields before the response rules; null if these have not changed them
     * @param isDecoded whether the content coding was removed
     */
    static ResponseHead kept(
            ResponseHead received,
            @Nullable Fields arrived,
            ResponseTimes times,
            boolean isDecoded) {
        var kept =
                arrived == null
                        ? ForwardedFields.storable(received.fields())
                        : ForwardedFields.storable(received.fields(), arrived);
        if (isDecoded) {
            kept = DecodedBody.fields(kept);
        }
        var date = kept.first("date");
        if (date == null || HttpDate.parse(date).isEmpty()) {
            // An invalid Date may be replaced (RFC 9110 §6.6.1).
            kept =
                    new Fields.Builder()
                            .addAll(kept.without(name -> name.equalsIgnoreCase("date")))
                            .add("Date", HttpDate.format(times.receivedWall()))
                            .build();
        }
        return new ResponseHead(received.status(), received.reason(), kept);
    }
}
