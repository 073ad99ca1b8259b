package dev.quire.proxy.cache;

import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.SurrogateControl;
import dev.quire.core.policy.Verdict;
import dev.quire.proxy.route.EsiMode;
import org.jspecify.annotations.Nullable;

/**
 * How responses are taken in: by the rules of their route, and by what whoever asks says besides.
 *
 * @param maxObjectBytes a longer body is not stored
 * @param author what the page that asks says of the lifetime
 * @param route what it is called where something is wrong with its responses
 * @param keepsSource whether an ESI document is kept as it came too
 */
public record IntakeRules(
        Settings settings,
        EsiMode esi,
        DocumentRules documents,
        long maxObjectBytes,
        String route,
        AuthorLifetime author,
        boolean keepsSource) {

    /** The rules of a route. */
    public IntakeRules(
            Settings settings, EsiMode esi, DocumentRules documents, long maxObjectBytes) {
        this(settings, esi, documents, maxObjectBytes, "");
    }

    /** The rules of a route that is called {@code route}. */
    public IntakeRules(
            Settings settings,
            EsiMode esi,
            DocumentRules documents,
            long maxObjectBytes,
            String route) {
        this(settings, esi, documents, maxObjectBytes, route, AuthorLifetime.UNSAID, false);
    }

    /** These rules for one who says how long it may be used, or wants documents as they came. */
    public IntakeRules asking(AuthorLifetime lifetime, boolean wantsSource) {
        return lifetime.equals(author) && wantsSource == keepsSource
                ? this
                : new IntakeRules(
                        settings, esi, documents, maxObjectBytes, route, lifetime, wantsSource);
    }

    /**
     * What decides on the response to {@code request}.
     *
     * @param servesOthers false if the request went up as its client made it
     */
    Admission admission(RequestHead request, boolean servesOthers) {
        return new Admission(
                request,
                settings,
                author,
                servesOthers,
                keepsSource,
                maxObjectBytes,
                documents.maxBytes());
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
        return esi == EsiMode.ON || control(head).asksForEsi();
    }

    /**
     * Whose tags the document behind {@code head} has.
     *
     * @param sent the stamp of the request it answers; null if that bore none
     */
    Verdict verdict(ResponseHead head, @Nullable Stamp sent) {
        var verdict = control(head).verdict(sent);
        return verdict == Verdict.UNSTAMPED && esi == EsiMode.STAMPED ? Verdict.INERT : verdict;
    }

    /**
     * {@code head} as whoever comes after sees it: it tells nobody the stamp, and what is judged
     * inert asks for no processing, neither of us nor of those in front of us.
     */
    static ResponseHead judged(ResponseHead head, Verdict verdict) {
        var fields =
                verdict == Verdict.INERT
                        ? SurrogateControl.withoutContent(head.fields())
                        : head.fields();
        var told = SurrogateControl.withoutStamps(fields);
        return told.equals(head.fields())
                ? head
                : new ResponseHead(head.status(), head.reason(), told);
    }

    private SurrogateControl control(ResponseHead head) {
        return SurrogateControl.of(head.fields(), settings.deviceToken());
    }

    /** Whether route and media type allow parsing. */
    boolean mayBeParsed(ResponseHead head) {
        return esi != EsiMode.OFF && documents.mayHold(head);
    }
}
