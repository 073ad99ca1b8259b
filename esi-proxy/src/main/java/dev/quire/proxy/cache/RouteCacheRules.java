package dev.quire.proxy.cache;

import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.SurrogateControl;
import dev.quire.core.rule.ResponsePhase;
import dev.quire.core.rule.ResponseRules;
import dev.quire.proxy.route.EsiProcessing;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rules for storing responses: those of the route, and those of the include.
 *
 * @param maxObjectBytes a longer body is not stored
 * @param author the lifetime given by the include
 * @param route the name of the route in log messages
 * @param keepsSource whether the source of an ESI document is stored too
 * @param parsing of the route: a response that was stored under another one is not used
 * @param storage of the route: a record that was written under another one is not read; null if
 *     there are no records
 * @param phase the response rules; null without any
 */
public record RouteCacheRules(
        Settings settings,
        EsiProcessing esi,
        DocumentRules documents,
        long maxObjectBytes,
        String route,
        AuthorLifetime author,
        boolean keepsSource,
        ParseFingerprint parsing,
        @Nullable RecordHash storage,
        @Nullable ResponsePhase phase) {

    public RouteCacheRules(
            Settings settings, EsiProcessing esi, DocumentRules documents, long maxObjectBytes) {
        this(settings, esi, documents, maxObjectBytes, "");
    }

    public RouteCacheRules(
            Settings settings,
            EsiProcessing esi,
            DocumentRules documents,
            long maxObjectBytes,
            String route) {
        this(
                settings,
                esi,
                documents,
                maxObjectBytes,
                route,
                AuthorLifetime.UNSAID,
                false,
                new ParseFingerprint(esi, documents, settings.deviceToken()),
                null,
                null);
    }

    /**
     * Returns the rules of a route, not yet changed for a request or a response, for responses that
     * have records.
     *
     * @param responses the response rules of the route
     * @param requests a hash of what decides the requests to its origin
     */
    public RouteCacheRules recorded(ResponseRules responses, RecordHash requests) {
        var hash = StorageFingerprint.of(this, responses, requests);
        return with(settings, esi, author, keepsSource, hash, phase);
    }

    /** Returns these rules with the lifetime of an include, and with the source if it is wanted. */
    public RouteCacheRules asking(AuthorLifetime lifetime, boolean wantsSource) {
        return lifetime.equals(author) && wantsSource == keepsSource
                ? this
                : with(settings, esi, lifetime, wantsSource, storage, phase);
    }

    /** Returns these rules with response rules. */
    public RouteCacheRules ruledBy(ResponsePhase given) {
        return with(settings, esi, author, keepsSource, storage, given);
    }

    /** Returns these rules as the response rules change them for one response. */
    RouteCacheRules under(ResponsePhase.Result result) {
        return with(
                settings.with(result.over(settings.operator())),
                result.processesEsi()
                        .map(processes -> processes ? EsiProcessing.ON : EsiProcessing.OFF)
                        .orElse(esi),
                author,
                keepsSource,
                storage,
                null);
    }

    private RouteCacheRules with(
            Settings judging,
            EsiProcessing processing,
            AuthorLifetime lifetime,
            boolean wantsSource,
            @Nullable RecordHash recorded,
            @Nullable ResponsePhase changes) {
        return new RouteCacheRules(
                judging,
                processing,
                documents,
                maxObjectBytes,
                route,
                lifetime,
                wantsSource,
                parsing,
                recorded,
                changes);
    }

    /** Returns the mode of a response with {@code head}, to which the response rules apply. */
    public EsiProcessing modeOf(ResponseHead head, Instant now) {
        return phase == null ? esi : under(phase.applied(head, now)).esi();
    }

    /**
     * Whether a response judged by these rules may be used and stored under {@code later} ones, of
     * a newer configuration.
     */
    public boolean holdUnder(RouteCacheRules later) {
        return parsing.equals(later.parsing)
                && Objects.equals(responseRules(), later.responseRules());
    }

    private @Nullable ResponseRules responseRules() {
        return phase == null ? null : phase.rules();
    }

    /**
     * Returns the admission rules for the response to {@code request}.
     *
     * @param servesOthers false if the request was forwarded unchanged
     */
    Admission admission(SentRequest request, boolean servesOthers) {
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
     * Whether the body of {@code head} is to be parsed (ESI 1.0 with Edge Architecture). Never an
     * absent or partial one.
     */
    boolean isDocument(ResponseHead head) {
        boolean isWhole =
                switch (head.status()) {
                    case 204, 206, 304 -> false;
                    default -> true;
                };
        if (!isWhole || !mayBeParsed(head)) {
            return false;
        }
        return esi == EsiProcessing.ON || control(head).asksForEsi();
    }

    /** Whether {@code head} is that of a part of a document. */
    boolean isPartOfDocument(ResponseHead head) {
        return head.status() == 206
                && isDocument(new ResponseHead(200, head.reason(), head.fields()));
    }

    /**
     * Which tags of the document of {@code head} are processed.
     *
     * @param sent the stamp of its request; null if it had none
     */
    StampStatus stampStatus(ResponseHead head, @Nullable Stamp sent) {
        var stampStatus = control(head).stampStatus(sent);
        return stampStatus == StampStatus.UNSTAMPED && esi == EsiProcessing.STAMPED
                ? StampStatus.INERT
                : stampStatus;
    }

    /**
     * Returns {@code head} as all later steps see it: without the stamp, and without the request
     * for ESI processing if the document is inert, for us and for surrogates in front of us.
     */
    static ResponseHead judged(ResponseHead head, StampStatus stampStatus) {
        var fields =
                stampStatus == StampStatus.INERT
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
        return esi != EsiProcessing.OFF && documents.mayHold(head);
    }
}
