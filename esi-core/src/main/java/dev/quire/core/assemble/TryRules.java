package dev.quire.core.assemble;

import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.EsiNode.OnError;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the failure of a fragment affects: an enclosing attempt, its document, or nothing.
 */
final class TryRules {

    private TryRules() {}

    /** Returns the innermost attempt around {@code frame} in its document, or null. */
    static <B extends PartBody> @Nullable Frame<B> attempt(Frame<B> frame) {
        var each = frame;
        while (each.kind != Frame.Kind.ATTEMPT) {
            var enclosing = each.enclosing();
            if (each.kind == Frame.Kind.DOCUMENT || enclosing == null) {
                return null;
            }
            each = enclosing;
        }
        return each;
    }

    /** Returns the first except for {@code status}, else the first for any, else null. */
    static EsiNode.@Nullable Except except(EsiNode.Try node, int status) {
        EsiNode.Except any = null;
        for (var except : node.excepts()) {
            if (except.code().isEmpty()) {
                any = any == null ? except : any;
            } else if (status != 0 && except.code().getAsInt() == status) {
                return except;
            }
        }
        return any;
    }

    /** Whether a missing fragment of {@code frame} makes its document fail. */
    static boolean fails(Frame<?> frame, OnError onError, ErrorPolicy policy) {
        return (onError == OnError.FAIL || policy == ErrorPolicy.FAIL)
                && frame.document().isBuffered;
    }

    /** Whether the planning around {@code slot} waits for the outcome of the try in it. */
    static boolean isAwaited(@Nullable Slot<?> slot) {
        return slot != null
                && slot.part instanceof Plan.Part.Attempt attempt
                && attempt.isAwaited();
    }
}
