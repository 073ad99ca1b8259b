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
import dev.quire.core.policy.Verdict;
import dev.quire.proxy.cache.Representations.Derivation;
import dev.quire.proxy.gzip.GzipPiece;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@link StoredContent} that readers share: in the store, or only on its way to the one exchange
 * that asked.
 *
 * <p>It counts its own references: the maker holds the first. Look-up retains by {@link
 * #tryRetain}, which fails once the last reference is gone, so an eviction can never pull memory
 * from under a reader. What is being written holds slices of {@link #body}, and so outlives it.
 */
public final class StoredResponse implements PartBody, PageHead.Part, StoredView {
    private static final AtomicIntegerFieldUpdater<StoredResponse> REFERENCES =
            AtomicIntegerFieldUpdater.newUpdater(StoredResponse.class, "references");
    private static final AtomicIntegerFieldUpdater<StoredResponse> PLACES =
            AtomicIntegerFieldUpdater.newUpdater(StoredResponse.class, "placesInStore");

    private final StoredContent content;

    /**
     * In a form how it was made, and never anything else. Otherwise the forms that are kept; null
     * as long as there is none, then made under the monitor of this, under which nothing waits.
     */
    private volatile @Nullable Representations representations;

    /** Null as long as there was nothing to test it against; made under its monitor too. */
    private volatile @Nullable InvalidationMarks marks;

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

    /** Takes over one reference of the body. */
    StoredResponse(StoredContent content) {
        this(content, null);
    }

    /**
     * @param representations of the body, with one reference of what they belong to; null for none
     */
    private StoredResponse(StoredContent content, @Nullable Representations representations) {
        this.content = content;
        this.representations = representations;
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
        var response = new StoredResponse(StoredContent.ofOneClient(key, head, body));
        response.charge = new Charge(countedBy, body.readableBytes());
        return response;
    }

    /**
     * What was made for one page of what is part of it already: lives on the heap and restricts
     * nothing. It has no {@link #hash}, which for a page of one client alone would be made in vain.
     */
    public static StoredResponse made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
        return new StoredResponse(StoredContent.made(key, bytes, compiled));
    }

    /** In place of a fragment that nobody asks for: empty, and one client's own. */
    public static StoredResponse unknown(CacheKey key) {
        var head = new ResponseHead(200, "", Fields.EMPTY);
        return new StoredResponse(StoredContent.ofOneClient(key, head, Unpooled.EMPTY_BUFFER));
    }

    public CacheKey key() {
        return content.key();
    }

    /** The head as received, less what must not be kept. */
    public ResponseHead head() {
        return content.head();
    }

    /** The same as it is kept: ready to write, but for what changes with each answer. */
    public StoredHead text() {
        return content.text();
    }

    /** Whether it, or the page made of it, may be compressed: all its answers say so then. */
    public boolean isCompressible() {
        return content.text().isCompressible();
    }

    /** The whole body; not retained. */
    public ByteBuf body() {
        return content.body();
    }

    @Override
    public @Nullable CompiledPage compiled() {
        return content.compiled();
    }

    @Override
    public int status() {
        return content.head().status();
    }

    @Override
    public byte[] copy(int start, int end) {
        var body = content.body();
        return ByteBufUtil.getBytes(body, body.readerIndex() + start, end - start);
    }

    @Override
    public int length() {
        return content.body().readableBytes();
    }

    /** The length of its body as the origin sent it; -1 when that is not known any more. */
    long originBytes() {
        var fields = head().fields();
        if (fields.contains("content-length")) {
            return Admission.announcedBytes(fields);
        }
        return compiled() == null ? length() : Admission.UNKNOWN;
    }

    @Override
    public Freshness freshness() {
        return content.freshness();
    }

    @Override
    public boolean hasValidator() {
        return content.traits().hasValidator();
    }

    /** Which requests this variant answers. */
    @Override
    public SelectingFields selecting() {
        return content.selecting();
    }

    /** What purges can call it by. */
    public List<String> tags() {
        return content.tags();
    }

    /** Whether it is in the store at this moment. */
    public boolean isStored() {
        return placesInStore > 0;
    }

    /** The page that brought it along, null if none did. */
    @Nullable CacheKey carrier() {
        return content.carrier();
    }

    /** The groups of its origin that it is in. */
    List<GroupInvalidations.Group> groups() {
        return content.groups();
    }

    /** How far it has been tested against what may hide it. */
    synchronized InvalidationMarks marks() {
        var tested = marks;
        if (tested == null) {
            tested = InvalidationMarks.of(!groups().isEmpty());
            marks = tested;
        }
        return tested;
    }

    /** The newest ban that does not hide it, nor any before it; negative once one hides it. */
    long bansTested() {
        var tested = marks;
        return tested == null ? 0 : tested.bansTested();
    }

    /** The newest invalidation of groups that does not hide it, nor any before it. */
    long groupsTested() {
        var tested = marks;
        return tested == null ? 0 : tested.groupsTested();
    }

    /** Whether it may be used for others than the one who asked. */
    @Override
    public boolean isShared() {
        return content.isShared();
    }

    /**
     * What stands for the bytes of its body, made when it was stored; null if it never is: no other
     * request could use it.
     */
    public @Nullable ContentHash hash() {
        return content.hash();
    }

    /** The charset its {@code Content-Type} names, in lower case; null if it names none. */
    public @Nullable String charset() {
        return content.traits().charset();
    }

    /** What a client may do with it at {@code now}. */
    @Override
    public ClientLifetime clientLifetimeAt(Instant now) {
        return content.clientLifetimeAt(now);
    }

    /** Whether its status says that it is what was asked for. */
    public boolean isSuccess() {
        return status() >= 200 && status() < 300;
    }

    /** When the origin made it, in whole seconds: its Date, or without a valid one when it came. */
    Instant date() {
        return Optional.ofNullable(head().fields().first("Date"))
                .flatMap(HttpDate::parse)
                .orElseGet(() -> freshness().receivedAt().truncatedTo(ChronoUnit.SECONDS));
    }

    /** Whether it is for the same requests as {@code other}, and came after it. */
    boolean isNewerThan(StoredResponse other) {
        return freshness().receivedAt().isAfter(other.freshness().receivedAt())
                && selecting().equals(other.selecting());
    }

    /** The bytes it costs: memory of its own, and its share of the heap. */
    public long weightBytes() {
        var tested = marks;
        long heapBytes =
                isShared()
                        ? Footprint.of(content) + (tested == null ? 0 : tested.weightBytes())
                        : 0;
        return heapBytes
                + body().capacity()
                + (representations instanceof Forms kept ? kept.weightBytes() : 0);
    }

    /** Whether its bytes are still in the content coding that its head names. */
    public boolean isCoded() {
        return content.traits().isCoded()
                && !(representations instanceof Derivation form
                        && form.way().contains(Form.Whole.DECODED));
    }

    /** Whether that coding is one of those that can be undone here. */
    public boolean isCodedReadably() {
        return isCoded() && ContentCoding.of(head().fields()).isUndoable();
    }

    /** Whose its tags were, when it arrived. */
    public Verdict verdict() {
        return content.judged().verdict();
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
        return root().representations instanceof Forms kept ? kept.find(way) : null;
    }

    /** What else is kept of its body, from now on. */
    private synchronized Forms ownForms() {
        if (representations instanceof Forms kept) {
            return kept;
        }
        var kept = new Forms();
        representations = kept;
        return kept;
    }

    private List<Form> wayTo(Form form) {
        if (!(representations instanceof Derivation derivation)) {
            return List.of(form);
        }
        var longer = new ArrayList<>(derivation.way());
        longer.add(form);
        return longer;
    }

    /** Of what is stored the result takes over the reference, or takes one in place of a form's. */
    private StoredResponse view(List<Form> wanted, ByteBuf bytes, Forms.Kept form) {
        var whole = root();
        boolean isOfForm = whole != this;
        if (isOfForm && !whole.tryRetain()) {
            throw new IllegalStateException("a form outlived its response: " + key().url());
        }
        var view =
                new StoredResponse(
                        whole.content.inForm(bytes, form.compiled(), form.hash()),
                        new Derivation(whole, wanted, form.pieces()));
        if (isOfForm) {
            release();
        }
        return view;
    }

    /** A stamped document as it came without its stamps. */
    Form.Shape unstamped() {
        return new Form.Shape(content.judged().unstamped(copy(0, length())), null);
    }

    /**
     * A stamped document as it came, under the stamp of who assembles it; kept nowhere. Takes over
     * the caller's reference, who owns one of the result.
     */
    public StoredResponse restamped(Stamp stamp) {
        var bytes = content.judged().restamped(copy(0, length()), stamp);
        return shaped(Form.Whole.SOURCE, new Form.Shape(bytes, null));
    }

    /** {@code shape} as a response like this one, kept nowhere. */
    private StoredResponse shaped(Form form, Form.Shape shape) {
        var shaped = new StoredResponse(content.inShape(shape, form == Form.Whole.DECODED));
        release();
        return shaped;
    }

    /** Keeps {@code form} of it, before it is stored. */
    void keep(Form form, Form.Shape shape) {
        ownForms().keep(wayTo(form), shape);
    }

    /** Copies of all other forms that are kept of its body, but for what is compressed. */
    public List<byte[]> forms() {
        return root().representations instanceof Forms kept ? kept.copies() : List.of();
    }

    /** Copies of what is kept compressed of its body and its forms: blocks of deflate, RFC 1951. */
    public List<byte[]> compressed() {
        return root().representations instanceof Forms kept ? kept.compressedCopies() : List.of();
    }

    /**
     * The same body under a head that a validation has updated. The result has its own references.
     * Forms of it go with it unless it is of another type now, by which they may have been made.
     */
    StoredResponse validated(
            ResponseHead updated,
            StoredHead updatedText,
            Freshness updatedFreshness,
            SelectingFields updatedSelecting) {
        boolean isOfSameType = Admission.isOfSameType(head().fields(), updated.fields());
        body().retain();
        return new StoredResponse(
                content.validated(updated, updatedText, updatedFreshness, updatedSelecting),
                isOfSameType ? ownForms().retain() : null);
    }

    /** The same response with other clocks. The result has its own references. */
    StoredResponse with(Freshness other) {
        body().retain();
        var same = new StoredResponse(content.with(other), ownForms().retain());
        same.marks = marks();
        return same;
    }

    /** {@code inline}, which it brings along, with its own clocks. The caller owns a reference. */
    StoredResponse bringing(CompiledPage.Inline inline, HeadBytes heads) {
        var ofInline = content.headOfInlines();
        int bytes = inline.bytes().length;
        return new StoredResponse(
                content.bringing(
                        inline,
                        ofInline,
                        heads.render(ofInline, bytes, true, isShared()),
                        UnpooledByteBufAllocator.DEFAULT
                                .directBuffer(bytes, bytes)
                                .writeBytes(inline.bytes())));
    }

    /** The same for one page, on the heap: it is for whom this is, and no longer. */
    public StoredResponse bringing(CompiledPage.Inline inline) {
        return new StoredResponse(
                content.bringing(
                        inline,
                        content.headOfInlines(),
                        StoredHead.NONE,
                        Unpooled.wrappedBuffer(inline.bytes())));
    }

    /**
     * Counts it by {@code transit} until its last reference is gone, if it is one client's own and
     * nothing counts it yet. By its one owner, before it is passed on.
     */
    public void chargeTo(Transit transit) {
        var root = root();
        if (!isShared() && root.charge == null) {
            root.charge = Charge.to(transit, root.weightBytes());
        }
    }

    /**
     * Its bytes from {@code start} to {@code end} compressed, if they are kept so: for as long as
     * the caller's reference.
     */
    public @Nullable GzipPiece piece(int start, int end) {
        var kept = representations;
        return kept == null ? null : kept.pieces().find(start, end);
    }

    /** What is compressed of its body. */
    Pieces pieces() {
        var kept = representations;
        return kept == null ? ownForms().pieces() : kept.pieces();
    }

    /** Whether the store holds it, and so weighs what is kept with it. */
    boolean isInStore() {
        return root().placesInStore > 0;
    }

    /** It, or what it is a form of. */
    StoredResponse root() {
        return representations instanceof Derivation form ? form.whole() : this;
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
            throw new IllegalStateException("released more often than retained: " + key().url());
        }
    }

    private void letGo() {
        var kept = representations;
        if (kept instanceof Derivation form) {
            form.whole().release();
            return;
        }
        var counted = charge;
        if (counted != null) {
            counted.by().give(counted.bytes());
        }
        body().release();
        if (kept instanceof Forms forms) {
            forms.release();
        }
    }
}
