package dev.quire.test.memory;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.Reading;
import dev.quire.core.parse.Reading.Tags;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.ForwardedFields;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.Moments;
import dev.quire.core.policy.RefusalReason;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.Storing;
import dev.quire.core.policy.SurrogateControl;
import dev.quire.core.policy.Verdict;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Takes in responses of the application: judges their heads, and makes of them what is kept. */
final class Intake {
    private final Rules rules;

    Intake(Rules rules) {
        this.rules = rules;
    }

    /** What has been made of a response. */
    sealed interface Taken {

        /** It may be used for others. */
        record Shared(Kept kept) implements Taken {}

        /** It is for who asked. */
        record Own(Kept kept) implements Taken {}

        /** It can be used for nobody. */
        record Refused(Failure failure) implements Taken {}
    }

    /** How a response is to be kept. */
    private sealed interface Treatment {
        record Store(Freshness freshness) implements Treatment {}

        /** For one, to be read or decoded. */
        record Read() implements Treatment {}

        /** For one, as it came. */
        record Flow() implements Treatment {}
    }

    /** Whose the tags are of what came with {@code received}. */
    Verdict verdict(ResponseHead received, Stamp sent) {
        return control(received).verdict(sent);
    }

    /** {@code received} as everybody else is to see it, once it has been judged. */
    static ResponseHead judged(ResponseHead received, Verdict verdict) {
        var fields =
                verdict == Verdict.INERT
                        ? SurrogateControl.withoutContent(received.fields())
                        : received.fields();
        return new ResponseHead(
                received.status(), received.reason(), SurrogateControl.withoutStamps(fields));
    }

    /** Whether {@code head} is that of an ESI document. */
    boolean isDocument(ResponseHead head) {
        boolean isWhole =
                switch (head.status()) {
                    case 204, 206, 304 -> false;
                    default -> true;
                };
        return isWhole && mayBeParsed(head) && control(head).asksForEsi();
    }

    /** Whether what came with {@code head} is passed on to who asked as it comes. */
    boolean flows(Inquiry inquiry, ResponseHead head, Verdict verdict) {
        boolean isDocument = isDocument(inquiry, head, verdict);
        boolean isPlain = !(mayBeParsed(head) && Coding.isNamedBy(head.fields()));
        return !inquiry.isForPage() && !isDocument && isPlain;
    }

    /**
     * {@code body} under {@code head}, which has been judged.
     *
     * @param mayStore whether the request was one whose answer serves others too
     */
    Taken take(
            Inquiry inquiry,
            boolean mayStore,
            ResponseHead head,
            Bytes body,
            Verdict verdict,
            Stamp stamp,
            Moments moments) {
        boolean isDocument = isDocument(inquiry, head, verdict);
        if (isDocument && body.length() > Rules.MAX_DOCUMENT_BYTES) {
            return new Taken.Refused(tooLarge(inquiry.key(), Rules.MAX_DOCUMENT_BYTES));
        }
        var treatment = treatment(inquiry, mayStore, head, body, isDocument, verdict, moments);
        if (treatment instanceof Treatment.Flow) {
            return new Taken.Own(
                    new Kept(
                            inquiry.key(),
                            head,
                            body.copy(),
                            null,
                            Kept.justNow(moments.receivedAt()),
                            SelectingFields.EMPTY,
                            ClientLifetime.of(head.fields(), Duration.ZERO),
                            false,
                            new Kept.Origins(head.fields(), body, verdict, null, false, null)));
        }
        var plain = body;
        boolean isDecoded =
                (inquiry.isForPage() || mayBeParsed(head)) && Coding.isNamedBy(head.fields());
        boolean isReadable = Coding.of(head.fields()) != Coding.UNKNOWN;
        if (isDecoded && isReadable) {
            switch (Coding.of(head.fields()).undone(body.copy())) {
                case Coding.Undone.Broken(var failure) -> {
                    return new Taken.Refused(failure);
                }
                case Coding.Undone.Plain(var bytes) -> plain = bytes;
            }
        } else if (isDecoded && isDocument) {
            return new Taken.Refused(
                    malformed(inquiry.key().url() + " has a content coding unknown to us"));
        }
        boolean isShared = treatment instanceof Treatment.Store;
        boolean isRead = isDocument && (isShared || !isAsItCame(inquiry, verdict));
        var kept = kept(head, moments, isDecoded && isReadable);
        var response =
                kept(
                        inquiry,
                        kept,
                        plain,
                        isRead ? tags(verdict, stamp) : null,
                        treatment instanceof Treatment.Store(var freshness)
                                ? freshness
                                : Kept.justNow(moments.receivedAt()),
                        isShared,
                        new Kept.Origins(
                                head.fields(),
                                plain,
                                verdict,
                                verdict == Verdict.STAMPED ? stamp : null,
                                inquiry.wantsSource(),
                                null));
        return isShared ? new Taken.Shared(response) : new Taken.Own(response);
    }

    /** {@code source} read as a document, by which it has not come. */
    Kept read(Kept source) {
        if (source.compiled() != null) {
            return source;
        }
        var origins = source.origins();
        // Of one that has been judged the stamp is gone: whose its tags are nobody knows any more.
        var tags =
                origins.verdict() == Verdict.UNSTAMPED ? Tags.Unstamped.ALL : Tags.Unstamped.NONE;
        return read(source, source.bytes(), tags);
    }

    /**
     * {@code stale} under the fields of a 304, or of a 200 to HEAD that confirms it (RFC 9111
     * §4.3.4, §4.3.5); null if it may not be kept, or is not any more what was made of its body.
     *
     * @param validating merged
     */
    @Nullable Kept validated(
            Inquiry inquiry, Kept stale, ResponseHead validating, Moments moments) {
        boolean isDocument = stale.compiled() != null;
        var merged =
                new ResponseHead(
                        validating.status(),
                        validating.reason(),
                        stale.origins().verdict() == Verdict.UNSTAMPED
                                ? SurrogateControl.withoutStamps(validating.fields())
                                : SurrogateControl.renewed(
                                        stale.head().fields(), validating.fields()));
        boolean isStill = stale.origins().verdict() != Verdict.INERT && isDocument(merged);
        if (!(storing(asGet(inquiry.request()), inquiry, merged, moments)
                        instanceof Storing.Keep(var freshness))
                || isStill != isDocument
                || (isDocument && !stale.isOfSameType(merged))
                || !merged.fields()
                        .all("content-encoding")
                        .equals(stale.head().fields().all("content-encoding"))) {
            return null;
        }
        var updated = kept(merged, moments, false);
        return stale.validated(updated, freshness, selecting(inquiry, updated));
    }

    /** Whether nothing but a cookie forbids to keep an answer to GET like {@code received}. */
    boolean isForItsCookieAlone(Inquiry inquiry, ResponseHead received, Moments moments) {
        return storing(asGet(inquiry.request()), inquiry, received, moments)
                        instanceof Storing.Refuse(var reason)
                && reason == RefusalReason.SET_COOKIE;
    }

    private Treatment treatment(
            Inquiry inquiry,
            boolean mayStore,
            ResponseHead head,
            Bytes body,
            boolean isDocument,
            Verdict verdict,
            Moments moments) {
        boolean isTooLarge = body.length() > Rules.MAX_OBJECT_BYTES;
        boolean isForOthers = mayStore || isForLaterGets(inquiry, isDocument, head);
        if (storing(inquiry.request(), inquiry, head, moments)
                        instanceof Storing.Keep(var freshness)
                && isForOthers
                && !isTooLarge) {
            return new Treatment.Store(freshness);
        }
        // Whoever gets a stamped one as it came must not see its stamps.
        boolean isRead = isDocument && !isAsItCame(inquiry, verdict);
        boolean isDecoded =
                inquiry.isForPage()
                        && Coding.isNamedBy(head.fields())
                        && Coding.of(head.fields()) != Coding.UNKNOWN;
        return isRead || isDecoded ? new Treatment.Read() : new Treatment.Flow();
    }

    private static boolean isAsItCame(Inquiry inquiry, Verdict verdict) {
        return inquiry.wantsSource() && verdict != Verdict.STAMPED;
    }

    /**
     * Whether it answers a POST that went up as it was, and yet serves others (RFC 9110 §9.3.3).
     */
    private static boolean isForLaterGets(
            Inquiry inquiry, boolean isDocument, ResponseHead received) {
        return inquiry.request().method().equals("POST")
                && !isDocument
                && !inquiry.isForPage()
                && !Coding.isNamedBy(received.fields());
    }

    private boolean isDocument(Inquiry inquiry, ResponseHead head, Verdict verdict) {
        // The answer to HEAD has no body to parse.
        return verdict != Verdict.INERT && !inquiry.request().isHead() && isDocument(head);
    }

    private Storing storing(
            RequestHead request, Inquiry inquiry, ResponseHead response, Moments moments) {
        return CachePolicy.storing(
                request, response, moments, rules.settings(), inquiry.lifetime());
    }

    /** The request whose answer is judged: HEAD asks about what a GET has brought. */
    private static RequestHead asGet(RequestHead request) {
        return request.isHead()
                ? new RequestHead(
                        "GET",
                        request.scheme(),
                        request.authority(),
                        request.target(),
                        request.fields())
                : request;
    }

    /** No application is told which codings a reader takes: it picks nothing. */
    private static SelectingFields selecting(Inquiry inquiry, ResponseHead head) {
        return SelectingFields.of(head.fields(), inquiry.request()).without("accept-encoding");
    }

    /** What is kept of a head: no connection's fields, a Date, nothing of a coding undone. */
    private static ResponseHead kept(ResponseHead received, Moments moments, boolean isDecoded) {
        var kept = ForwardedFields.storable(received.fields());
        if (isDecoded) {
            kept = Coding.undone(kept);
        }
        var date = kept.first("date");
        if (date == null || HttpDate.parse(date).isEmpty()) {
            kept =
                    new Fields.Builder()
                            .addAll(kept.without("date"::equalsIgnoreCase))
                            .add("Date", HttpDate.format(moments.receivedWall()))
                            .build();
        }
        return new ResponseHead(received.status(), received.reason(), kept);
    }

    /**
     * @param tags null if it is not to be read
     */
    private Kept kept(
            Inquiry inquiry,
            ResponseHead head,
            Bytes body,
            @Nullable Tags tags,
            Freshness freshness,
            boolean isShared,
            Kept.Origins origins) {
        var response =
                new Kept(
                        inquiry.key(),
                        head,
                        body.copy(),
                        null,
                        freshness,
                        selecting(inquiry, head),
                        ClientLifetime.of(head.fields(), Duration.ZERO),
                        isShared,
                        origins);
        return tags == null ? response : read(response, body.copy(), tags);
    }

    private Kept read(Kept response, byte[] bytes, Tags tags) {
        var reading = reading(response.head(), tags);
        var parser = new EsiParser(reading);
        parser.feed(ByteBuffer.wrap(bytes));
        var page = parser.finish();
        var text = new ByteArrayOutputStream(page.textBytes());
        page.forEachText(span -> text.write(bytes, span.start(), span.length()));
        var compiled =
                CompiledPage.of(
                        page.ofTextAlone(),
                        response.key(),
                        new CompiledPage.Rules(resolver(), reading, rules.limits().maxIncludes()));
        return response.shaped(text.toByteArray(), compiled);
    }

    /** Where references may lead. */
    ReferenceResolver resolver() {
        return new ReferenceResolver(rules.allowedHosts());
    }

    private static Tags tags(Verdict verdict, Stamp stamp) {
        return switch (verdict) {
            case UNSTAMPED -> Tags.Unstamped.ALL;
            case STAMPED -> new Tags.Stamped(stamp);
            case INERT -> Tags.Unstamped.NONE;
        };
    }

    private static Reading reading(ResponseHead head, Tags tags) {
        var type = mediaType(head);
        boolean isJson = type.equals("application/json") || type.endsWith("+json");
        var markup = new Reading(Reading.Notation.MARKUP, Dialect.STANDARD, false, Escape.MARKUP);
        return (isJson ? markup.in(Reading.Notation.JSON) : markup).of(tags);
    }

    private boolean mayBeParsed(ResponseHead head) {
        return rules.contentTypes().contains(mediaType(head));
    }

    private static String mediaType(ResponseHead head) {
        var type = head.fields().first("content-type");
        if (type == null) {
            return "";
        }
        int parameters = type.indexOf(';');
        var media = parameters < 0 ? type : type.substring(0, parameters);
        return media.strip().toLowerCase(Locale.ROOT);
    }

    private SurrogateControl control(ResponseHead head) {
        return SurrogateControl.of(head.fields(), rules.settings().deviceToken());
    }

    private static Failure tooLarge(CacheKey key, long limit) {
        return new Failure(
                Failure.Side.ORIGIN,
                Failure.Kind.TOO_LARGE,
                key.url() + " is larger than " + limit + " bytes");
    }

    private static Failure malformed(String why) {
        return new Failure(Failure.Side.ORIGIN, Failure.Kind.MALFORMED, why);
    }
}
