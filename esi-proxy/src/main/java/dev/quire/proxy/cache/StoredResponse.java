package dev.quire.proxy.cache;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.PageHead;
import dev.quire.core.assemble.PartBody;
import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.ContentHash;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.StoredView;
import dev.quire.core.policy.Validation;
import dev.quire.core.policy.Verdict;
import dev.quire.proxy.gzip.GzipPiece;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A response kept whole, with what was made of it when it arrived: its head ready to write, its
 * plan, its clocks. In the store, or only on its way to the one exchange that asked.
 *
 * <p>It counts its own references: the maker holds the first. Look-up retains by {@link
 * #tryRetain}, which fails once the last reference is gone, so an eviction can never pull memory
 * from under a reader. What is being written holds slices of {@link #body}, and so outlives it.
 */
public final class StoredResponse implements PartBody, PageHead.Part, StoredView {

    private static final String CHARSET = "charset=";

    /** The clocks of what has no head of its own: they stand. */
    private static final Freshness NO_CLOCKS = justNow(Instant.EPOCH);

    private static final ClientLifetime NOTHING_SAID =
            ClientLifetime.of(Fields.EMPTY, Duration.ZERO);

    private static final AtomicIntegerFieldUpdater<StoredResponse> REFERENCES =
            AtomicIntegerFieldUpdater.newUpdater(StoredResponse.class, "references");
    private static final AtomicIntegerFieldUpdater<StoredResponse> PLACES =
            AtomicIntegerFieldUpdater.newUpdater(StoredResponse.class, "placesInStore");

    /** Few are ever said. */
    private static final Shared<ClientLifetime> LIFETIMES = new Shared<>();

    private static final Shared<String> TEXTS = new Shared<>();

    private final CacheKey key;
    private final ResponseHead head;
    private final StoredHead text;
    private final ByteBuf body;
    private final @Nullable CompiledPage compiled;
    private final Freshness freshness;
    private final SelectingFields selecting;
    private final ClientLifetime clientLifetime;
    private final List<String> tags;
    private final List<GroupInvalidations.Group> groups;
    private final Judged judged;
    private final boolean isShared;
    private final boolean hasValidator;
    private final boolean isCoded;
    private final @Nullable String charset;

    // The hash of the body, if there is one; apart, since a hundred thousand of these are kept.
    private final boolean isHashed;
    private final long hashHigh;
    private final long hashLow;

    /** What this is a form of; or null. */
    private final @Nullable Derivation derivation;

    /**
     * What else is kept of the body; null as long as that is nothing, and always in a form. Made
     * under the monitor of this, under which nothing waits.
     */
    private volatile @Nullable Forms forms;

    /**
     * Null as long as no ban was made that it could have been tested against; under its monitor.
     */
    private volatile @Nullable BanMark banMark;

    /** Set before anyone else has a hold of it. */
    private @Nullable CacheKey carrier;

    private volatile long groupsTested;

    private volatile int references = 1;
    private volatile int placesInStore;

    /** What counts it while it is not in the store; set before its last reference can go. */
    private volatile @Nullable Charge charge;

    /** What counts so many bytes. */
    private record Charge(Transit by, long bytes) {

        static Charge to(Transit transit, long bytes) {
            transit.charge(bytes);
            return new Charge(transit, bytes);
        }
    }

    /**
     * What a form is made of.
     *
     * @param whole the form holds a reference of it, and is made of its memory
     * @param way how the form is made of that
     * @param pieces what is compressed of the form
     */
    private record Derivation(StoredResponse whole, List<Form> way, Pieces pieces) {}

    /**
     * Takes over one reference of {@code body}.
     *
     * @param head as received, less what must not be kept
     * @param text the same as it is kept
     * @param compiled null when the body is not an ESI document
     * @param clientLifetime what a client may do with it, at age zero
     * @param isShared whether it may be used for others than the one who asked
     */
    StoredResponse(
            CacheKey key,
            ResponseHead head,
            StoredHead text,
            ByteBuf body,
            @Nullable CompiledPage compiled,
            Freshness freshness,
            SelectingFields selecting,
            ClientLifetime clientLifetime,
            List<String> tags,
            boolean isShared) {
        this(
                key,
                head,
                text,
                body,
                compiled,
                freshness,
                selecting,
                clientLifetime,
                tags,
                Judged.UNSTAMPED,
                isShared);
    }

    /**
     * @param judged how it was judged as it arrived
     */
    StoredResponse(
            CacheKey key,
            ResponseHead head,
            StoredHead text,
            ByteBuf body,
            @Nullable CompiledPage compiled,
            Freshness freshness,
            SelectingFields selecting,
            ClientLifetime clientLifetime,
            List<String> tags,
            Judged judged,
            boolean isShared) {
        this(
                key,
                head,
                text,
                body,
                compiled,
                freshness,
                selecting,
                clientLifetime,
                tags,
                judged,
                isShared,
                isShared ? ContentHash.of(body.nioBuffer()) : null,
                null);
    }

    /**
     * @param forms of the body; one reference is taken over; null if there are none
     */
    private StoredResponse(
            CacheKey key,
            ResponseHead head,
            StoredHead text,
            ByteBuf body,
            @Nullable CompiledPage compiled,
            Freshness freshness,
            SelectingFields selecting,
            ClientLifetime clientLifetime,
            List<String> tags,
            Judged judged,
            boolean isShared,
            @Nullable ContentHash hash,
            @Nullable Forms forms) {
        this.key = key;
        this.head = head(head, text);
        this.text = text;
        this.body = body;
        this.compiled = compiled;
        this.freshness = freshness;
        this.selecting = selecting;
        this.clientLifetime = isShared ? LIFETIMES.shared(clientLifetime) : clientLifetime;
        this.tags = tags;
        this.groups = isShared ? GroupInvalidations.of(key, head.fields()) : List.of();
        this.judged = judged;
        this.isShared = isShared;
        this.hasValidator = Validation.hasValidator(head.fields());
        this.isCoded = ContentCoding.of(head.fields()).isCoded();
        this.charset = charsetOf(head.fields());
        this.isHashed = hash != null;
        this.hashHigh = hash == null ? 0 : hash.high();
        this.hashLow = hash == null ? 0 : hash.low();
        this.forms = forms;
        this.derivation = null;
    }

    /** Of a head that is kept once its lines are read from its text. */
    private static ResponseHead head(ResponseHead head, StoredHead text) {
        return text == StoredHead.NONE || head.fields() == text
                ? head
                : new ResponseHead(head.status(), shared(head.reason()), text);
    }

    /** A kept form of {@code whole}; one reference of that is taken over. */
    private StoredResponse(StoredResponse whole, List<Form> way, ByteBuf body, Forms.Kept form) {
        this.key = whole.key;
        this.head = whole.head;
        this.text = whole.text;
        this.body = body;
        this.compiled = form.compiled();
        this.freshness = whole.freshness;
        this.selecting = whole.selecting;
        this.clientLifetime = whole.clientLifetime;
        this.tags = whole.tags;
        this.groups = List.of();
        this.judged = whole.judged;
        this.isShared = whole.isShared;
        this.hasValidator = whole.hasValidator;
        this.isCoded = whole.isCoded && !way.contains(Form.Whole.DECODED);
        this.charset = whole.charset;
        var hash = whole.isShared ? form.hash() : null;
        this.isHashed = hash != null;
        this.hashHigh = hash == null ? 0 : hash.high();
        this.hashLow = hash == null ? 0 : hash.low();
        this.derivation = new Derivation(whole, way, form.pieces());
    }

    /** A text of which many responses have the same. */
    static String shared(String text) {
        return TEXTS.shared(text);
    }

    /** The clocks of what is used once, by the one who asked at {@code receivedAt}. */
    static Freshness justNow(Instant receivedAt) {
        return new Freshness(
                receivedAt,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                true);
    }

    /**
     * A fragment that is one client's own, collected while it came; takes over {@code pieces}.
     *
     * @param countedBy what has counted the pieces, and counts them until the last reference is
     *     gone
     */
    public static StoredResponse ofOneClient(
            CacheKey key, ResponseHead head, Collection<ByteBuf> pieces, Transit countedBy) {
        var body = Unpooled.wrappedBuffer(pieces.toArray(ByteBuf[]::new));
        pieces.clear();
        var response = notShared(key, head, body, ClientLifetime.of(head.fields(), Duration.ZERO));
        response.charge = new Charge(countedBy, body.readableBytes());
        return response;
    }

    /**
     * What was made for one page of what is part of it already: lives on the heap and restricts
     * nothing. It has no {@link #hash}, which for a page of one client alone would be made in vain.
     */
    public static StoredResponse made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
        return new StoredResponse(
                key,
                new ResponseHead(200, "", Fields.EMPTY),
                StoredHead.NONE,
                Unpooled.wrappedBuffer(bytes),
                compiled,
                NO_CLOCKS,
                SelectingFields.EMPTY,
                ClientLifetime.UNRESTRICTED,
                List.of(),
                Judged.UNSTAMPED,
                true,
                null,
                null);
    }

    /** In place of a fragment that nobody asks for: empty, and one client's own. */
    public static StoredResponse unknown(CacheKey key) {
        return notShared(
                key, new ResponseHead(200, "", Fields.EMPTY), Unpooled.EMPTY_BUFFER, NOTHING_SAID);
    }

    private static StoredResponse notShared(
            CacheKey key, ResponseHead head, ByteBuf body, ClientLifetime clientLifetime) {
        return new StoredResponse(
                key,
                head,
                StoredHead.NONE,
                body,
                null,
                NO_CLOCKS,
                SelectingFields.EMPTY,
                clientLifetime,
                List.of(),
                false);
    }

    public CacheKey key() {
        return key;
    }

    /** The head as received, less what must not be kept. */
    public ResponseHead head() {
        return head;
    }

    /** The same as it is kept: ready to write, but for what changes with each answer. */
    public StoredHead text() {
        return text;
    }

    /** Whether it, or the page made of it, may be compressed: all its answers say so then. */
    public boolean isCompressible() {
        return text.isCompressible();
    }

    /** The whole body; not retained. */
    public ByteBuf body() {
        return body;
    }

    @Override
    public @Nullable CompiledPage compiled() {
        return compiled;
    }

    @Override
    public int status() {
        return head.status();
    }

    @Override
    public byte[] copy(int start, int end) {
        return ByteBufUtil.getBytes(body, body.readerIndex() + start, end - start);
    }

    @Override
    public int length() {
        return body.readableBytes();
    }

    /** The length of its body as the origin sent it; -1 when that is not known any more. */
    long originBytes() {
        if (head.fields().contains("content-length")) {
            return Admission.announcedBytes(head.fields());
        }
        return compiled == null ? length() : Admission.UNKNOWN;
    }

    @Override
    public Freshness freshness() {
        return freshness;
    }

    @Override
    public boolean hasValidator() {
        return hasValidator;
    }

    /** Which requests this variant answers. */
    @Override
    public SelectingFields selecting() {
        return selecting;
    }

    /** What purges can call it by. */
    public List<String> tags() {
        return tags;
    }

    /** Whether it is in the store at this moment. */
    public boolean isStored() {
        return placesInStore > 0;
    }

    /** The page that brought it along, null if none did. */
    @Nullable CacheKey carrier() {
        return carrier;
    }

    /** How far it has been tested against the bans. */
    synchronized BanMark banMark() {
        var mark = banMark;
        if (mark == null) {
            mark = new BanMark();
            banMark = mark;
        }
        return mark;
    }

    /** The newest ban that does not hide it, nor any before it; negative once one hides it. */
    long banTested() {
        var mark = banMark;
        return mark == null ? 0 : mark.tested();
    }

    /** The groups of its origin that it is in. */
    List<GroupInvalidations.Group> groups() {
        return groups;
    }

    /** The newest invalidation of groups that does not hide it, nor any before it. */
    long groupsTested() {
        return groupsTested;
    }

    /** No invalidation of groups up to {@code number} hides it. */
    void groupsTested(long number) {
        groupsTested = number;
    }

    /** Whether it may be used for others than the one who asked. */
    @Override
    public boolean isShared() {
        return isShared;
    }

    /**
     * What stands for the bytes of its body, made when it was stored; null if it never is: no other
     * request could use it.
     */
    public @Nullable ContentHash hash() {
        return isHashed ? new ContentHash(hashHigh, hashLow) : null;
    }

    /** The charset its {@code Content-Type} names, in lower case; null if it names none. */
    public @Nullable String charset() {
        return charset;
    }

    /** What a client may do with it at {@code now}. */
    @Override
    public ClientLifetime clientLifetimeAt(Instant now) {
        if (freshness.equals(NO_CLOCKS)) {
            return clientLifetime;
        }
        return clientLifetime.after(freshness.ageNanosAt(now));
    }

    /** Whether its status says that it is what was asked for. */
    public boolean isSuccess() {
        return head.status() >= 200 && head.status() < 300;
    }

    /** When the origin made it, in whole seconds: its Date, or without a valid one when it came. */
    Instant date() {
        return Optional.ofNullable(head.fields().first("Date"))
                .flatMap(HttpDate::parse)
                .orElseGet(() -> freshness.receivedAt().truncatedTo(ChronoUnit.SECONDS));
    }

    /** Whether it is for the same requests as {@code other}, and came after it. */
    boolean isNewerThan(StoredResponse other) {
        return freshness.receivedAt().isAfter(other.freshness.receivedAt())
                && selecting.equals(other.selecting);
    }

    /** The bytes it costs: memory of its own, and its share of the heap. */
    public long weightBytes() {
        var kept = forms;
        return (isShared ? heapBytes() : 0)
                + body.capacity()
                + (kept == null ? 0 : kept.weightBytes());
    }

    /** Whether {@code form} is kept of it. */
    public boolean has(Form form) {
        return find(wayTo(form)) != null;
    }

    /**
     * It in another form: as it is kept, or else as {@code maker} makes it, which is then kept if
     * this one is stored. Takes over the caller's reference, who owns one of the result; null if
     * there is no such form, and then the caller's reference remains his.
     *
     * @param gained told that something more is kept
     */
    @Nullable StoredResponse in(Form form, Form.Maker maker, Consumer<StoredResponse> gained) {
        var wanted = wayTo(form);
        var kept = find(wanted);
        if (kept == null) {
            var shape = maker.make(this);
            if (!isInStore() || !root().ownForms().keep(wanted, shape)) {
                return shape == null ? null : shaped(form, shape);
            }
            gained.accept(root());
            kept = find(wanted);
        }
        return kept == null || kept.body() == null ? null : view(wanted, kept.body(), kept);
    }

    /** The form that is made by {@code way} of what this is a form of, or of this. */
    private Forms.@Nullable Kept find(List<Form> way) {
        var kept = root().forms;
        return kept == null ? null : kept.find(way);
    }

    /** What else is kept of its body, from now on. */
    private synchronized Forms ownForms() {
        var kept = forms;
        if (kept == null) {
            kept = new Forms();
            forms = kept;
        }
        return kept;
    }

    private List<Form> wayTo(Form form) {
        if (derivation == null) {
            return List.of(form);
        }
        var longer = new ArrayList<>(derivation.way());
        longer.add(form);
        return longer;
    }

    private StoredResponse view(List<Form> wanted, ByteBuf bytes, Forms.Kept form) {
        if (derivation == null) {
            return new StoredResponse(this, wanted, bytes, form);
        }
        var whole = derivation.whole();
        if (!whole.tryRetain()) {
            throw new IllegalStateException("a form outlived its response: " + key.url());
        }
        var view = new StoredResponse(whole, wanted, bytes, form);
        release();
        return view;
    }

    /** Whether its bytes are still in the content coding that its head names. */
    public boolean isCoded() {
        return isCoded;
    }

    /** Whether that coding is one of those that can be undone here. */
    public boolean isCodedReadably() {
        return isCoded && ContentCoding.of(head.fields()).isUndoable();
    }

    /** Whose its tags were, when it arrived. */
    public Verdict verdict() {
        return judged.verdict();
    }

    /** A stamped document as it came without its stamps. */
    Form.Shape unstamped() {
        return new Form.Shape(judged.unstamped(copy(0, length())), null);
    }

    /**
     * A stamped document as it came, under the stamp of who assembles it; kept nowhere. Takes over
     * the caller's reference, who owns one of the result.
     */
    public StoredResponse restamped(Stamp stamp) {
        var shape = new Form.Shape(judged.restamped(copy(0, length()), stamp), null);
        return shaped(Form.Whole.SOURCE, shape);
    }

    /** {@code shape} as a response like this one, kept nowhere. */
    private StoredResponse shaped(Form form, Form.Shape shape) {
        var shaped =
                new StoredResponse(
                        key,
                        form == Form.Whole.DECODED ? Inflating.decoded(head) : head,
                        StoredHead.NONE,
                        Unpooled.wrappedBuffer(shape.bytes()),
                        shape.compiled(),
                        freshness,
                        selecting,
                        clientLifetime,
                        tags,
                        judged,
                        isShared);
        release();
        return shaped;
    }

    /** Keeps {@code form} of it, before it is stored. */
    void keep(Form form, Form.Shape shape) {
        ownForms().keep(wayTo(form), shape);
    }

    /** Copies of all other forms that are kept of its body, but for what is compressed. */
    public List<byte[]> forms() {
        var kept = root().forms;
        return kept == null ? List.of() : kept.copies();
    }

    /** Copies of what is kept compressed of its body and its forms: blocks of deflate, RFC 1951. */
    public List<byte[]> compressed() {
        var kept = root().forms;
        return kept == null ? List.of() : kept.compressedCopies();
    }

    /**
     * The same body under a head that a validation has updated. The result has its own references.
     * Forms of it go with it unless it is of another type now, by which they may have been made.
     */
    StoredResponse validated(
            ResponseHead updated,
            StoredHead updatedText,
            Freshness updatedFreshness,
            SelectingFields updatedSelecting,
            ClientLifetime updatedClientLifetime,
            List<String> updatedTags) {
        return new StoredResponse(
                key,
                updated,
                updatedText,
                body.retain(),
                compiled,
                updatedFreshness,
                updatedSelecting,
                updatedClientLifetime,
                updatedTags,
                judged,
                isShared,
                hash(),
                isOfSameType(updated) ? ownForms().retain() : null);
    }

    /** Whether {@code other} names the same media type as the head of this. */
    boolean isOfSameType(ResponseHead other) {
        return head.fields().all("content-type").equals(other.fields().all("content-type"));
    }

    /** The same response with other clocks. The result has its own references. */
    StoredResponse with(Freshness other) {
        var same =
                new StoredResponse(
                        key,
                        head,
                        text,
                        body.retain(),
                        compiled,
                        other,
                        selecting,
                        clientLifetime,
                        tags,
                        judged,
                        isShared,
                        hash(),
                        ownForms().retain());
        same.banMark = banMark();
        same.carrier = carrier;
        same.groupsTested = groupsTested;
        return same;
    }

    /** {@code inline}, which it brings along, with its own clocks. The caller owns a reference. */
    StoredResponse bringing(CompiledPage.Inline inline, HeadBytes heads) {
        var ofInline = headOfInlines();
        int bytes = inline.bytes().length;
        return bringing(
                inline,
                ofInline,
                heads.render(ofInline, bytes, true, isShared),
                UnpooledByteBufAllocator.DEFAULT
                        .directBuffer(bytes, bytes)
                        .writeBytes(inline.bytes()));
    }

    /** The same for one page, on the heap: it is for whom this is, and no longer. */
    public StoredResponse bringing(CompiledPage.Inline inline) {
        return bringing(
                inline, headOfInlines(), StoredHead.NONE, Unpooled.wrappedBuffer(inline.bytes()));
    }

    private ResponseHead headOfInlines() {
        return new ResponseHead(200, "", head.fields().without(name -> !isOfInlines(name)));
    }

    private StoredResponse bringing(
            CompiledPage.Inline inline, ResponseHead ofInline, StoredHead text, ByteBuf bytes) {
        var document =
                new StoredResponse(
                        inline.key(),
                        ofInline,
                        text,
                        bytes,
                        inline.compiled(),
                        freshness,
                        selecting,
                        clientLifetime,
                        tags,
                        isShared);
        document.carrier = key;
        return document;
    }

    /** What a page's head says of the documents in it too. */
    private static boolean isOfInlines(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "cache-control", "cache-groups", "content-type", "date", "expires", "vary" -> true;
            default -> false;
        };
    }

    /**
     * Counts it by {@code transit} until its last reference is gone, if it is one client's own and
     * nothing counts it yet. By its one owner, before it is passed on.
     */
    public void chargeTo(Transit transit) {
        var root = root();
        if (!isShared && root.charge == null) {
            root.charge = Charge.to(transit, root.weightBytes());
        }
    }

    /**
     * Its bytes from {@code start} to {@code end} compressed, if they are kept so: for as long as
     * the caller's reference.
     */
    public @Nullable GzipPiece piece(int start, int end) {
        if (derivation != null) {
            return derivation.pieces().find(start, end);
        }
        var kept = forms;
        return kept == null ? null : kept.pieces().find(start, end);
    }

    /** What is compressed of its body. */
    Pieces pieces() {
        return derivation == null ? ownForms().pieces() : derivation.pieces();
    }

    /** Whether the store holds it, and so weighs what is kept with it. */
    boolean isInStore() {
        return root().placesInStore > 0;
    }

    /** It, or what it is a form of. */
    StoredResponse root() {
        return derivation == null ? this : derivation.whole();
    }

    /** The store has taken one of its references. */
    void entersStore() {
        PLACES.incrementAndGet(this);
    }

    /**
     * The store gives that reference back. Once it holds none, {@code transit} counts the response
     * for as long as readers do.
     */
    void leavesStore(Transit transit) {
        if (PLACES.decrementAndGet(this) == 0) {
            charge = Charge.to(transit, weightBytes());
        }
        release();
    }

    /** Takes a reference, unless the last one is already gone. */
    public boolean tryRetain() {
        int seen = references;
        while (seen > 0) {
            if (REFERENCES.compareAndSet(this, seen, seen + 1)) {
                return true;
            }
            seen = references;
        }
        return false;
    }

    @Override
    public void release() {
        int left = REFERENCES.decrementAndGet(this);
        if (left == 0) {
            letGo();
        } else if (left < 0) {
            throw new IllegalStateException("released more often than retained: " + key.url());
        }
    }

    private void letGo() {
        if (derivation != null) {
            derivation.whole().release();
            return;
        }
        var counted = charge;
        if (counted != null) {
            counted.by().give(counted.bytes());
        }
        body.release();
        var kept = forms;
        if (kept != null) {
            kept.release();
        }
    }

    private static @Nullable String charsetOf(Fields fields) {
        var type = fields.first("Content-Type");
        if (type == null) {
            return null;
        }
        int name = type.toLowerCase(Locale.ROOT).indexOf(CHARSET);
        if (name < 0) {
            return null;
        }
        int start = name + CHARSET.length();
        int end = type.indexOf(';', start);
        var value = type.substring(start, end < 0 ? type.length() : end).strip();
        // Few have ever been in use.
        return shared(value.replace("\"", "").toLowerCase(Locale.ROOT));
    }

    private long heapBytes() {
        long sum =
                Footprint.RESPONSE_BYTES
                        + Footprint.array(text.textBytes())
                        + Footprint.list(selecting.fields().size())
                        + Footprint.list(tags.size())
                        + Footprint.list(groups.size())
                        + (banMark == null ? 0 : Footprint.BAN_MARK_BYTES);
        for (var field : selecting.fields()) {
            sum += Footprint.SELECTING_BYTES + Footprint.string(field.value());
        }
        for (var tag : tags) {
            sum += Footprint.string(tag);
        }
        for (var group : groups) {
            sum += Footprint.GROUP_BYTES + Footprint.string(group.name());
        }
        if (compiled != null) {
            sum += compiled.heapBytes();
        }
        return sum;
    }
}
