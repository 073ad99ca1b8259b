package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParsedPage;
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
import dev.quire.proxy.route.EsiMode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes in one response of an origin: judges its head, keeps its body if that is worth it, parses
 * it as it comes, and makes the {@link StoredResponse}. Confined to the loop that fetches.
 */
final class Intake {

    /** What becomes of a response. */
    sealed interface Treatment {
        /** It is kept and stored. */
        record Store(boolean isDocument) implements Treatment {}

        /** It is for one exchange, to be read or decoded: kept whole, not stored. */
        record Compile(Enum<?> reason) implements Treatment {}

        /** It flows past. */
        record Flow(Enum<?> reason) implements Treatment {}

        /** It is an ESI document too large to be one. */
        record TooLarge(Failure failure) implements Treatment {}
    }

    /** Why a response that may be stored is not. */
    enum Unkept {
        /** It is larger than what is stored. */
        SIZE,
        /** Bodies on their way hold all they may. */
        TRANSIT,
        /** Its content coding could not be undone. */
        CODING,
        /** The request went up as the client made it, so the answer is no one else's. */
        FORWARDED
    }

    /** The size of a body whose head does not tell it, in bytes. */
    private static final long UNKNOWN = -1;

    private final CacheKey key;
    private final RequestHead request;
    private final IntakeRules rules;
    private final boolean mayStore;
    private final Flight.Surroundings around;

    private @Nullable ResponseHead head;
    private @Nullable Freshness freshness;
    private SelectingFields selecting = SelectingFields.EMPTY;
    private boolean isShared;
    private Verdict verdict = Verdict.UNSTAMPED;
    private @Nullable Stamp stamp;
    private @Nullable EsiParser parser;
    private @Nullable ParsedPage page;
    private @Nullable Inflating inflating;
    private boolean isUnreadable;
    private @Nullable ByteBuf body;

    /** Of the bodies in transit, as received and decoded. */
    private long takenBytes;

    /**
     * @param mayStore whether the request was one whose answer serves others too
     */
    Intake(
            CacheKey key,
            RequestHead request,
            IntakeRules rules,
            boolean mayStore,
            Flight.Surroundings around) {
        // Of many keys that are kept few name different authorities.
        this.key = new CacheKey(key.scheme(), StoredResponse.shared(key.authority()), key.target());
        this.request = request;
        this.rules = rules;
        this.mayStore = mayStore;
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
        stamp = sent;
        verdict = rules.verdict(received, sent);
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
        return verdict == Verdict.STAMPED;
    }

    /**
     * Judges the head; the body, if it is kept, follows through {@link #add}.
     *
     * @param isForPage whether it is to stand in a page, which can do with no content coding
     */
    Treatment begin(ResponseHead received, Moments moments, boolean isForPage) {
        var storing =
                CachePolicy.storing(request, received, moments, rules.settings(), rules.author());
        // The answer to HEAD has no body to parse.
        boolean isDocument = isDocument(received) && !request.isHead();
        long announced = announcedBytes(received);
        if (isDocument && announced > rules.documents().maxBytes()) {
            return new Treatment.TooLarge(tooLarge(rules.documents().maxBytes()));
        }
        return switch (storing) {
            case Storing.Refuse refuse ->
                    forOne(refuse.reason(), isDocument, isForPage, received, moments);
            case Storing.Keep ignored
                    when !mayStore && !isForLaterGets(isDocument, isForPage, received) ->
                    forOne(Unkept.FORWARDED, isDocument, isForPage, received, moments);
            case Storing.Keep ignored when !isDocument && announced > rules.maxObjectBytes() ->
                    new Treatment.Flow(Unkept.SIZE);
            case Storing.Keep keep -> {
                isShared = true;
                take(received, moments, keep.freshness(), isDocument, isForPage);
                yield new Treatment.Store(isDocument);
            }
        };
    }

    /**
     * Whether it answers a POST that went up as it was, and yet serves others (RFC 9110 §9.3.3).
     */
    private boolean isForLaterGets(boolean isDocument, boolean isForPage, ResponseHead received) {
        // The client's codings went along, and who takes it whole is told of it too late: it must
        // be stored after what the POST has made untrue is gone.
        return request.method().equals("POST")
                && !isDocument
                && !isForPage
                && !Inflating.isCoded(received.fields());
    }

    private Treatment forOne(
            Enum<?> reason,
            boolean isDocument,
            boolean isForPage,
            ResponseHead received,
            Moments moments) {
        // Whoever gets a stamped one as it came must not see its stamps.
        boolean isCompiled = isDocument && (!rules.keepsSource() || verdict == Verdict.STAMPED);
        boolean isDecoded = isForPage && Inflating.of(received.fields()) != null;
        if (!isCompiled && !isDecoded) {
            return new Treatment.Flow(reason);
        }
        take(
                received,
                moments,
                StoredResponse.justNow(moments.receivedAt()),
                isCompiled,
                isForPage);
        return new Treatment.Compile(reason);
    }

    private void take(
            ResponseHead received,
            Moments moments,
            Freshness clocks,
            boolean isDocument,
            boolean isForPage) {
        freshness = clocks;
        selecting = selecting(received);
        if (isDocument) {
            parser = new EsiParser(rules.documents().reading(received, tags()));
        }
        boolean mustBePlain = isForPage || rules.mayBeParsed(received);
        if (mustBePlain && Inflating.isCoded(received.fields())) {
            inflating = Inflating.of(received.fields());
            isUnreadable = isDocument && inflating == null;
        }
        head = kept(received, moments);
    }

    private boolean isDocument(ResponseHead received) {
        return verdict != Verdict.INERT && rules.isDocument(received);
    }

    private Tags tags() {
        return switch (verdict) {
            case UNSTAMPED -> Tags.Unstamped.ALL;
            case STAMPED -> new Tags.Stamped(present(stamp));
            case INERT -> Tags.Unstamped.NONE;
        };
    }

    /** Where pages are parsed no origin is told which codings a client takes: it picks nothing. */
    private SelectingFields selecting(ResponseHead received) {
        var named = SelectingFields.of(received.fields(), request);
        return rules.esi() == EsiMode.OFF ? named : named.without("accept-encoding");
    }

    /** Which requests the response answers. */
    SelectingFields selecting() {
        return selecting;
    }

    /** Keeps {@code data}, which stays the caller's; a failure ends the intake. */
    @Nullable Failure add(ByteBuf data) {
        if (isUnreadable) {
            return new Failure(
                    Side.ORIGIN, Kind.MALFORMED, key.url() + " has a content coding unknown to us");
        }
        if (inflating == null) {
            return keep(data);
        }
        int bytes = data.readableBytes();
        if (takenBytes + bytes > limitBytes()) {
            return tooLarge(limitBytes());
        }
        var full = takeRoom(bytes);
        if (full == null) {
            inflating.add(data);
        }
        return full;
    }

    /**
     * No more comes: a failure if the body is not whole by its own coding, or not as it must be.
     */
    @Nullable Failure ended() {
        var failure = inflating == null ? null : inflating.decode(this::keep);
        if (failure != null || parser == null) {
            return failure;
        }
        var parsed = parser.finish();
        page = parsed;
        around.events().parsed(key, parsed, rules.documents().isStrict());
        return rules.documents().isStrict() && parsed.errors() > 0
                ? new Failure(
                        Side.ORIGIN,
                        Kind.MALFORMED,
                        key.url() + ":" + parsed.diagnostics().getFirst())
                : null;
    }

    /** Whether what has been kept is, byte by byte, what was added, and needs no parsing. */
    boolean isAsReceived() {
        return parser == null && inflating == null;
    }

    /** A copy of at most {@code most} bytes of what is kept, from {@code from} on. */
    ByteBuf copy(int from, int most) {
        var kept = present(body);
        int bytes = Math.min(most, kept.readableBytes() - from);
        return ByteBufAllocator.DEFAULT
                .directBuffer(bytes)
                .writeBytes(kept, kept.readerIndex() + from, bytes);
    }

    /** What has been kept, which from now on is the caller's; null if nothing has. */
    @Nullable ByteBuf surrender() {
        var kept = body;
        body = null;
        giveBack();
        return kept;
    }

    /** The response, once it has {@link #ended}. The caller owns its first reference. */
    StoredResponse finish() {
        var complete = present(head);
        var clocks = present(freshness);
        var parsed = page;
        var source = parsed == null || !rules.keepsSource() ? null : sourceOf(body);
        var whole = parsed == null ? exactly(surrender()) : textOf(parsed, surrender());
        var compiled =
                parsed == null ? null : rules.documents().compiled(parsed, key, complete, tags());
        var judged =
                source != null && verdict == Verdict.STAMPED
                        ? new Judged(verdict, stamp)
                        : Judged.of(verdict);
        var response =
                new StoredResponse(
                        key,
                        complete,
                        around.heads()
                                .render(
                                        complete,
                                        whole.readableBytes(),
                                        compiled != null,
                                        isShared),
                        whole,
                        compiled,
                        clocks,
                        selecting,
                        ClientLifetime.of(complete.fields(), Duration.ZERO),
                        dev.quire.core.policy.Tags.of(complete.fields()),
                        judged,
                        isShared);
        if (source != null) {
            response.keep(Form.Whole.SOURCE, source);
        }
        return response;
    }

    /**
     * {@code stale} under the fields of a 304, or of a 200 to HEAD that confirms it (RFC 9111
     * §4.3.4, §4.3.5); null if it may not be kept, or is not any more what was made of its body.
     */
    @Nullable StoredResponse validated(
            StoredResponse stale, ResponseHead validating, Moments moments) {
        boolean isDocument = stale.compiled() != null;
        var merged = renewed(stale, validating);
        boolean isDocumentStill = stale.verdict() != Verdict.INERT && rules.isDocument(merged);
        if (!(CachePolicy.storing(asGet(), merged, moments, rules.settings(), rules.author())
                        instanceof Storing.Keep keep)
                || isDocumentStill != isDocument
                || (isDocument && !stale.isOfSameType(merged))
                || !coding(merged).equals(coding(stale.head()))) {
            return null;
        }
        var updated = kept(merged, moments);
        return stale.validated(
                updated,
                around.heads()
                        .render(
                                updated,
                                stale.length(),
                                stale.compiled() != null,
                                stale.isShared()),
                keep.freshness(),
                selecting(updated),
                ClientLifetime.of(updated.fields(), Duration.ZERO),
                dev.quire.core.policy.Tags.of(updated.fields()));
    }

    /**
     * What is to be processed of a judged document, and whose its tags are, was said with its body:
     * an application that has no body to send may say nothing of that.
     */
    private static ResponseHead renewed(StoredResponse stale, ResponseHead merged) {
        var fields =
                stale.verdict() == Verdict.UNSTAMPED
                        ? SurrogateControl.withoutStamps(merged.fields())
                        : SurrogateControl.renewed(stale.head().fields(), merged.fields());
        return fields.equals(merged.fields())
                ? merged
                : new ResponseHead(merged.status(), merged.reason(), fields);
    }

    /** Whether nothing but a cookie forbids to keep an answer to GET like {@code received}. */
    boolean isForItsCookieAlone(ResponseHead received, Moments moments) {
        return CachePolicy.storing(asGet(), received, moments, rules.settings(), rules.author())
                        instanceof Storing.Refuse refuse
                && refuse.reason() == RefusalReason.SET_COOKIE;
    }

    /** The request whose answer is judged: HEAD asks about what a GET has brought. */
    private RequestHead asGet() {
        return request.isHead()
                ? new RequestHead(
                        "GET",
                        request.scheme(),
                        request.authority(),
                        request.target(),
                        request.fields())
                : request;
    }

    /** Drops what has been kept. */
    void discard() {
        var kept = surrender();
        if (kept != null) {
            kept.release();
        }
        if (inflating != null) {
            inflating.discard();
            inflating = null;
        }
    }

    private static Form.Shape sourceOf(@Nullable ByteBuf collected) {
        return new Form.Shape(
                collected == null ? new byte[0] : ByteBufUtil.getBytes(collected), null);
    }

    private @Nullable Failure keep(ByteBuf data) {
        int bytes = data.readableBytes();
        if (keptBytes() + bytes > limitBytes()) {
            return tooLarge(limitBytes());
        }
        var full = takeRoom(bytes);
        if (full != null) {
            return full;
        }
        if (parser != null) {
            for (var chunk : data.nioBuffers()) {
                parser.feed(chunk);
            }
        }
        if (body == null) {
            body = ByteBufAllocator.DEFAULT.directBuffer(Math.max(bytes, 256));
        }
        body.writeBytes(data, data.readerIndex(), bytes);
        return null;
    }

    private @Nullable Failure takeRoom(int bytes) {
        if (!around.transit().tryTake(bytes)) {
            return new Failure(Side.PROXY, Kind.OVERLOAD, "bodies in transit hold all they may");
        }
        takenBytes += bytes;
        return null;
    }

    /** How much of the body is kept. */
    long keptBytes() {
        return body == null ? 0 : body.readableBytes();
    }

    private long limitBytes() {
        return parser == null ? rules.maxObjectBytes() : rules.documents().maxBytes();
    }

    private Failure tooLarge(long limit) {
        return new Failure(
                Side.ORIGIN, Kind.TOO_LARGE, key.url() + " is larger than " + limit + " bytes");
    }

    /** What {@code Content-Length} says; whoever delimits the body has held it against that. */
    private static long announcedBytes(ResponseHead received) {
        var length = received.fields().first("content-length");
        if (length == null) {
            return UNKNOWN;
        }
        try {
            return Math.max(Long.parseLong(length.strip()), UNKNOWN);
        } catch (NumberFormatException noNumber) {
            return UNKNOWN;
        }
    }

    private static String coding(ResponseHead head) {
        return String.join(",", head.fields().all("content-encoding"));
    }

    /** What is kept of a head: no connection's fields, a Date, nothing of a coding undone. */
    private ResponseHead kept(ResponseHead received, Moments moments) {
        var kept = ForwardedFields.storable(received.fields());
        if (inflating != null) {
            kept = Inflating.decoded(kept);
        }
        var date = kept.first("date");
        if (date == null || HttpDate.parse(date).isEmpty()) {
            // One that is none may be replaced (RFC 9110 §6.6.1).
            kept =
                    new Fields.Builder()
                            .addAll(kept.without(name -> name.equalsIgnoreCase("date")))
                            .add("Date", HttpDate.format(moments.receivedWall()))
                            .build();
        }
        return new ResponseHead(received.status(), received.reason(), kept);
    }

    private void giveBack() {
        around.transit().give(takenBytes);
        takenBytes = 0;
    }

    private static ByteBuf exactly(@Nullable ByteBuf collected) {
        int bytes = collected == null ? 0 : collected.readableBytes();
        var exact = exactly(bytes);
        if (collected != null) {
            exact.writeBytes(collected);
            collected.release();
        }
        return exact;
    }

    /** What {@link ParsedPage#ofTextAlone} names: tags cost no memory, and no slice each. */
    private static ByteBuf textOf(ParsedPage page, @Nullable ByteBuf collected) {
        var text = exactly(page.textBytes());
        if (collected != null) {
            page.forEachText(span ->
                    text.writeBytes(
                            collected, collected.readerIndex() + span.start(), span.length()));
            collected.release();
        }
        return text;
    }

    private static ByteBuf exactly(int bytes) {
        return UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("a body was kept before its head was judged");
        }
        return value;
    }
}
