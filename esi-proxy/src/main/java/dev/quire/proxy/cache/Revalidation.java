package dev.quire.proxy.cache;

import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.ResponseTimes;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.policy.Validation;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The stored response that a fetch revalidates, if any. Confined to the loop of the fetch. */
final class Revalidation {

    /** The kind of request sent to the origin. */
    private enum RequestKind {
        /** The client's request, with its own conditions if any. */
        FORWARDED,
        /** A conditional request for the stored response. */
        CONDITIONAL,
        /** Repeated without conditions: the 304 did not apply to the stored response. */
        UNCONDITIONAL
    }

    /** Drops responses that newer ones supersede. */
    interface Superseding {
        /**
         * Drops {@code old}.
         *
         * @param newer supersedes it; null if that one is not stored
         */
        void drop(StoredResponse old, @Nullable StoredResponse newer);
    }

    private final ResponseAdmission admission;
    private final Superseding superseding;
    private @Nullable StoredResponse stale;
    private RequestKind kind = RequestKind.FORWARDED;

    /**
     * @param stale null if there is nothing to revalidate; takes over one reference
     */
    Revalidation(
            @Nullable StoredResponse stale, ResponseAdmission admission, Superseding superseding) {
        this.stale = stale;
        this.admission = admission;
        this.superseding = superseding;
    }

    /** Revalidates {@code newer} instead, and takes a reference; before the fetch begins. */
    void replace(StoredResponse newer) {
        if (newer.tryRetain()) {
            drop();
            stale = newer;
        }
    }

    /** Returns the conditional fields for the stored response; empty if it is not revalidated. */
    Fields begin() {
        var conditions =
                stale == null ? Fields.EMPTY : Validation.conditions(stale.head().fields());
        kind = conditions.equals(Fields.EMPTY) ? RequestKind.FORWARDED : RequestKind.CONDITIONAL;
        return conditions;
    }

    /** The response to revalidate; null if absent or dropped. */
    @Nullable StoredResponse stale() {
        return stale;
    }

    boolean isNotModified(ResponseHead head) {
        return head.status() == 304 && stale != null && kind != RequestKind.FORWARDED;
    }

    /** Returns the stored response of which {@code response} has the body, validated; or null. */
    @SuppressWarnings("ReferenceEquality") // Another body may have the same bytes.
    @Nullable StoredResponse renewedBy(StoredResponse response) {
        return stale != null && stale.body() == response.body() ? stale : null;
    }

    /** Whether the request was repeated without conditions. */
    boolean isRepeated() {
        return kind == RequestKind.UNCONDITIONAL;
    }

    void repeat() {
        kind = RequestKind.UNCONDITIONAL;
    }

    /** Whether the stored response may be used in place of the error {@code head}. */
    boolean mayStandInFor(ResponseHead head, Instant now) {
        return StandInCause.isErrorStatus(head.status())
                && mayStandIn(StandInCause.ERROR_STATUS, now);
    }

    /** Whether the stored response may be used because of {@code cause}. */
    boolean mayStandIn(StandInCause cause, Instant now) {
        return stale != null && CachePolicy.mayStandIn(stale, cause, now);
    }

    /**
     * Returns the stored response updated with the 304, or null if the 304 does not apply or the
     * result is not cacheable.
     */
    @Nullable StoredResponse renewed(ResponseHead head, ResponseTimes times) {
        var old = stale;
        return old != null && Validation.selects(old.head().fields(), head.fields())
                ? renewed(old, head, times)
                : null;
    }

    private @Nullable StoredResponse renewed(
            StoredResponse old, ResponseHead head, ResponseTimes times) {
        return admission.validated(
                old, Validation.merged(old.receivedHead(), head.fields()), times);
    }

    /**
     * Returns the stored response updated with the 200 to HEAD (RFC 9111 §4.3.5). If that does not
     * validate it, drops it and returns null. A matching head that only a cookie makes uncacheable
     * changes nothing, nor does that of another content coding, which the client asked for.
     *
     * @param arrived {@code head} before the response rules
     */
    @Nullable StoredResponse confirmed(
            ResponseHead head, ResponseHead arrived, ResponseTimes times) {
        var old = stale;
        if (old == null || head.status() != 200 || !isOfSameCoding(old, head)) {
            return null;
        }
        boolean isSame =
                old.status() == 200
                        && Validation.isConfirmedByHead(
                                old.head().fields(), old.originBytes(), head.fields());
        var renewed = isSame ? renewed(old, arrived, times) : null;
        if (renewed == null && (!isSame || !admission.isForItsCookieAlone(head, times))) {
            superseding.drop(old, null);
        }
        return renewed;
    }

    private static boolean isOfSameCoding(StoredResponse old, ResponseHead head) {
        return ContentCoding.named(old.head().fields()).equals(ContentCoding.named(head.fields()));
    }

    /**
     * Drops the stale response if the new one is a different variant: it is stored beside the old
     * one, not in its place.
     */
    void replacedBy(StoredResponse response) {
        if (stale != null && !stale.isSameVariant(response)) {
            superseding.drop(stale, response);
        }
    }

    /**
     * A newer response that could not be stored makes the stored one obsolete, once it is complete
     * or no client waits for it. An error does not.
     *
     * @param received null if there was no response
     */
    void outdatedBy(@Nullable ResponseHead received) {
        if (stale != null && outdates(received)) {
            superseding.drop(stale, null);
        }
        drop();
    }

    /** Whether the response with the head {@code received} is a newer one of its resource. */
    static boolean outdates(@Nullable ResponseHead received) {
        return received != null
                && received.status() != 304
                && !StandInCause.isErrorStatus(received.status());
    }

    /** Releases the stale response. */
    void drop() {
        if (stale != null) {
            stale.release();
            stale = null;
        }
    }
}
