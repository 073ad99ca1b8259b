package dev.quire.proxy.cache;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.Moments;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.policy.Validation;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The stored response that a fetch asks about, if there is one, and what becomes of it. Confined to
 * the loop that fetches.
 */
final class Revalidation {

    /** What the origin has been asked. */
    private enum Asking {
        /** What the client asks, under its own conditions if any. */
        FORWARDED,
        /** Whether what is stored still holds. */
        WHETHER_IT_HOLDS,
        /** Once more, without conditions: the 304 said nothing of what is stored. */
        AGAIN
    }

    private final Intake intake;
    private final PageStore store;
    private @Nullable StoredResponse stale;
    private Asking asking = Asking.FORWARDED;

    /**
     * @param stale null if nothing is asked about; one reference is taken over
     */
    Revalidation(@Nullable StoredResponse stale, Intake intake, PageStore store) {
        this.stale = stale;
        this.intake = intake;
        this.store = store;
    }

    /** The fields to ask by whether what is stored still holds; empty if that is not asked. */
    Fields begin() {
        var conditions =
                stale == null ? Fields.EMPTY : Validation.conditions(stale.head().fields());
        asking = conditions.equals(Fields.EMPTY) ? Asking.FORWARDED : Asking.WHETHER_IT_HOLDS;
        return conditions;
    }

    /** What is asked about; null if nothing is, or not any more. */
    @Nullable StoredResponse stale() {
        return stale;
    }

    /** Whether {@code head} says that what is stored still holds. */
    boolean isNotModified(ResponseHead head) {
        return head.status() == 304 && stale != null && asking != Asking.FORWARDED;
    }

    /** Whether the origin is asked for the second time, without conditions. */
    boolean isAskedAgain() {
        return asking == Asking.AGAIN;
    }

    void askAgain() {
        asking = Asking.AGAIN;
    }

    /** Whether what is stored may be used in place of the error that {@code head} tells of. */
    boolean mayStandInFor(ResponseHead head, Instant now) {
        return stale != null
                && StandInCause.isErrorStatus(head.status())
                && CachePolicy.mayStandIn(stale, StandInCause.ERROR_STATUS, now);
    }

    /** What is stored as the 304 renews it; null if that validates nothing we may keep. */
    @Nullable StoredResponse renewed(ResponseHead head, Moments moments) {
        var old = stale;
        return old != null && Validation.selects(old.head().fields(), head.fields())
                ? renewed(old, head, moments)
                : null;
    }

    private @Nullable StoredResponse renewed(
            StoredResponse old, ResponseHead head, Moments moments) {
        return intake.validated(old, Validation.merged(old.head(), head.fields()), moments);
    }

    /**
     * What is stored as the 200 to HEAD renews it (RFC 9111 §4.3.5); null if it does not, and then
     * what is stored goes. One with a cookie, which is that client's own, changes nothing.
     */
    @Nullable StoredResponse confirmed(ResponseHead head, Moments moments) {
        var old = stale;
        if (old == null || head.status() != 200) {
            return null;
        }
        boolean isSame =
                old.status() == 200
                        && Validation.isConfirmedByHead(
                                old.head().fields(), old.originBytes(), head.fields());
        var renewed = isSame ? renewed(old, head, moments) : null;
        if (renewed == null && (!isSame || !intake.isForItsCookieAlone(head, moments))) {
            store.supersede(old);
        }
        return renewed;
    }

    /** What varies otherwise than before is stored beside what is asked about, not in its place. */
    void replacedBy(StoredResponse response) {
        if (stale != null && !stale.selecting().equals(response.selecting())) {
            store.supersede(stale);
        }
    }

    /**
     * A newer response that could not be stored makes the stored one obsolete, once it is complete
     * or no client waits for it. An error does not.
     *
     * @param received null if there was no response
     */
    void outdatedBy(@Nullable ResponseHead received) {
        boolean isNewer =
                received != null
                        && received.status() != 304
                        && !StandInCause.isErrorStatus(received.status());
        if (stale != null && isNewer) {
            store.supersede(stale);
        }
        drop();
    }

    /** Gives back what is asked about. */
    void drop() {
        if (stale != null) {
            stale.release();
            stale = null;
        }
    }
}
