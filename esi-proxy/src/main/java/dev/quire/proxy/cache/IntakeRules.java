package dev.quire.proxy.cache;

import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.SurrogateControl;
import dev.quire.proxy.route.EsiMode;

/**
 * How responses are taken in: by the rules of their route, and by what whoever asks says besides.
 *
 * @param maxObjectBytes a longer body is not stored
 * @param author what the page that asks says of the lifetime
 * @param keepsSource whether an ESI document is kept as it came too
 */
public record IntakeRules(
        Settings settings,
        EsiMode esi,
        DocumentRules documents,
        long maxObjectBytes,
        AuthorLifetime author,
        boolean keepsSource) {

    /** The rules of a route. */
    public IntakeRules(
            Settings settings, EsiMode esi, DocumentRules documents, long maxObjectBytes) {
        this(settings, esi, documents, maxObjectBytes, AuthorLifetime.UNSAID, false);
    }

    /** These rules for one who says how long it may be used, or wants documents as they came. */
    public IntakeRules asking(AuthorLifetime lifetime, boolean wantsSource) {
        return lifetime.equals(author) && wantsSource == keepsSource
                ? this
                : new IntakeRules(settings, esi, documents, maxObjectBytes, lifetime, wantsSource);
    }

    /**
     * Whether the body behind {@code head} is to be parsed (ESI 1.0 with Edge Architecture): never
     * one that is not there, or that is only a part.
     */
    public boolean isDocument(ResponseHead head) {
        boolean isWhole =
                switch (head.status()) {
                    case 204, 206, 304 -> false;
                    default -> true;
                };
        if (!isWhole || !mayBeParsed(head)) {
            return false;
        }
        return esi == EsiMode.ON
                || SurrogateControl.of(head.fields(), settings.deviceToken()).asksForEsi();
    }

    /** Whether route and media type allow parsing. */
    boolean mayBeParsed(ResponseHead head) {
        return esi != EsiMode.OFF && documents.mayHold(head);
    }
}
