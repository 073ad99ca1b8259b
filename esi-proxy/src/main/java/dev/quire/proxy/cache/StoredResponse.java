package dev.quire.proxy.cache;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.PageHead;
import dev.quire.core.assemble.PartBody;
import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.parse.ParseOptions.Tags;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.ContentHash;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.StoredView;
import dev.quire.proxy.cache.Representations.Derivation;
import dev.quire.proxy.gzip.GzipPiece;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A reference-counted {@link StoredContent}, in the store or on its way to one exchange.
 *
 * <p>Its creator owns the first reference. A lookup retains it with {@link #tryRetain}, which fails
 * once the last reference is gone, so an eviction never frees memory that a reader uses. Pending
 * writes hold slices of {@link #body}, which therefore can outlive this object.
 */
public final class StoredResponse implements PartBody, PageHead.Part, StoredView {
    private static final AtomicIntegerFieldUpdater<StoredResponse> REFERENCES =
            AtomicIntegerFieldUpdater.newUpdater(StoredResponse.class, "references");
    private static final AtomicIntegerFieldUpdater<StoredResponse> PLACES =
            AtomicIntegerFieldUpdater.newUpdater(StoredResponse.class, "placesInStore");
    private static final AtomicLongFieldUpdater<StoredResponse> TESTED =
            AtomicLongFieldUpdater.newUpdater(StoredResponse.class, "testedUpTo");

    private final StoredContent content;

    /**
     * For a form: its derivation, which never changes. Otherwise: its cached forms, null until the
     * first is created under this object's monitor, under which nothing blocks.
     */
    private volatile @Nullable Representations representations;

    private volatile long testedUpTo;
    private volatile int references = 1;
    private volatile int placesInStore;

    /** While it is not in the store; set before its last reference can be released. */
    private volatile @Nullable Charge charge;

    /** Takes over one reference of the body. */
    StoredResponse(StoredContent content) {
        this(content, null);
    }

    /**
     * @param representations of the body, with one reference to their owner; null for none
     */
    private StoredResponse(StoredContent content, @Nullable Representations representations) {
        this.content = content;
        this.representations = representations;
    }

    /**
     * A private fragment, collected while it was received; takes over {@code pieces}.
     *
     * @param countedBy has accounted for the pieces, and does so until the last reference is
     *     released
     */
    public static StoredResponse ofOneClient(
            CacheKey key, ResponseHead head, Collection<ByteBuf> pieces, InFlightBudget countedBy) {
        var body = Unpooled.wrappedBuffer(pieces.toArray(ByteBuf[]::new));
        pieces.clear();
        var response = new StoredResponse(StoredContent.ofOneClient(key, head, body));
        response.charge = new Charge(countedBy, body.readableBytes());
        return response;
    }

    /**
     * Content created for one page from parts of it, on the heap and without restrictions. It has
     * no {@link #hash}, which a private page does not need.
     */
    public static StoredResponse made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
        return new StoredResponse(StoredContent.made(key, bytes, compiled));
    }

    /** A placeholder for a fragment that is not fetched: empty and private. */
    public static StoredResponse unknown(CacheKey key) {
        var head = new ResponseHead(200, "", Fields.EMPTY);
        return new StoredResponse(StoredContent.ofOneClient(key, head, Unpooled.EMPTY_BUFFER));
    }

    StoredContent content() {
        return content;
    }

    public CacheKey key() {
        return content.key();
    }

    /** The head after response rules, without fields that must not be stored. */
    public ResponseHead head() {
        return content.head();
    }

    /** Its head without the changes of response rules. */
    ResponseHead receivedHead() {
        var replaced = content.replaced();
        return replaced == null ? head() : replaced.undone(head());
    }

    /** The preformatted head, without the lines that change with each response. */
    public StoredHead text() {
        return content.text();
    }

    /**
     * Whether it, or the page assembled from it, may be compressed: then all responses declare it
     * in Vary.
     */
    public boolean isCompressible() {
        return content.text().isCompressible();
    }

    /** The whole body, not retained; there must not be a {@link #file}. */
    public ByteBuf body() {
        if (representations instanceof FileBody file) {
            throw file.isInFile();
        }
        return content.body();
    }

    /** The body, if it is in a file; otherwise null. */
    public @Nullable FileBody file() {
        return representations instanceof FileBody file ? file : null;
    }

    /** Returns this response, without a body, with that in {@code file}, which it releases. */
    StoredResponse with(FileBody file) {
        var whole = new StoredResponse(content, file);
        whole.testedUpTo = testedUpTo;
        return whole;
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
        var body = body();
        return ByteBufUtil.getBytes(body, body.readerIndex() + start, end - start);
    }

    @Override
    public int length() {
        var file = file();
        return file == null ? content.body().readableBytes() : file.bytes();
    }

    /** The length of the body as sent by the origin; -1 if no longer known. */
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

    /** The requests that this variant matches. */
    @Override
    public SelectingFields selecting() {
        return content.selecting();
    }

    /** The tags for purges. */
    public List<String> tags() {
        return content.tags();
    }

    /** Whether the store has it, or had it before. */
    public boolean isStored() {
        return placesInStore > 0 || (isShared() && charge != null) || file() != null;
    }

    /** The newest of the {@link Invalidations} up to which none covers it. */
    long testedUpTo() {
        return testedUpTo;
    }

    /** Records that no invalidation up to {@code number} covers it. */
    void testedUpTo(long number) {
        TESTED.accumulateAndGet(this, number, Math::max);
    }

    /** Whether other clients than the requesting one may use it. */
    @Override
    public boolean isShared() {
        return content.isShared();
    }

    /**
     * The hash of the body, computed when it was stored; null if it is not hashed, since no other
     * request could use it.
     */
    public @Nullable ContentHash hash() {
        return content.hash();
    }

    /** The charset of its {@code Content-Type}, in lower case; null if absent. */
    public @Nullable String charset() {
        return content.traits().charset();
    }

    @Override
    public ClientLifetime clientLifetimeAt(Instant now) {
        return content.clientLifetimeAt(now);
    }

    @Override
    public boolean hasClientLifetime() {
        var fields = head().fields();
        return fields.contains("Cache-Control") || fields.contains("Expires");
    }

    public boolean isSuccess() {
        return status() >= 200 && status() < 300;
    }

    /**
     * When the origin generated it, in whole seconds: its Date or, if that is not valid, the time
     * of receipt.
     */
    Instant date() {
        return Optional.ofNullable(head().fields().first("Date"))
                .flatMap(HttpDate::parse)
                .orElseGet(() -> freshness().receivedAt().truncatedTo(ChronoUnit.SECONDS));
    }

    boolean isReceivedAfter(StoredResponse other) {
        return freshness().receivedAt().isAfter(other.freshness().receivedAt());
    }

    /** Its size in bytes: its own buffers and its share of the heap. */
    public long weightBytes() {
        return (isShared() ? Footprint.of(content) : 0)
                + content.body().capacity()
                + (representations instanceof DerivedForms kept ? kept.weightBytes() : 0);
    }

    /** Whether its body is still in the content coding named by its head. */
    public boolean isCoded() {
        return coding().isCoded() && !isDecoded();
    }

    /** Whether the content coding named by its head is removed from its body. */
    public boolean isDecoded() {
        return content.traits().isDecoded()
                || (representations instanceof Derivation form
                        && form.way().contains(DerivedForm.Whole.DECODED));
    }

    /** The content coding that its head names. */
    public ContentCoding coding() {
        return content.traits().coding();
    }

    /** Whether a coded body may be decoded for clients that do not accept its coding. */
    public boolean mayBeDecoded() {
        return content.traits().fixedCoding().isEmpty();
    }

    /** The validators of its bytes for If-Range. */
    public RangeAnswer.Validators rangeValidators() {
        return isDecoded() ? RangeAnswer.Validators.NONE : RangeAnswer.Validators.of(isRecoded());
    }

    /** Whether it may be sent in other codings too: then all responses declare it in Vary. */
    public boolean isRecoded() {
        return isCompressible() || coding().isCoded();
    }

    /**
     * Whether the store keeps only one of both: they match the same requests, and each can be sent
     * to every client that the other one can be sent to.
     */
    boolean isSameVariant(StoredResponse other) {
        return selecting().equals(other.selecting())
                && content.traits().fixedCoding().equals(other.content.traits().fixedCoding());
    }

    /** Whether it was parsed under {@code settings}; only then it is used. */
    public boolean isParsedUnder(ParseFingerprint settings) {
        return settings.equals(content.traits().parsing());
    }

    /** Which of its tags are markup, decided on arrival. */
    public StampStatus stampStatus() {
        return content.judged().stampStatus();
    }

    /** Which tags of its body are markup, if it is parsed. */
    Tags tagsOfText() {
        return content.judged().tagsOfText();
    }

    public boolean has(DerivedForm form) {
        return find(wayTo(form)) != null;
    }

    /**
     * Returns it in another form: the cached one, or else the result of {@code maker}, which is
     * cached if this response is stored. Takes over the caller's reference, and the caller owns one
     * of the result. Returns null if there is no such form; then the caller keeps its reference.
     *
     * @param gained called when a form was cached
     */
    @Nullable StoredResponse in(
            DerivedForm form, DerivedForm.Maker maker, Consumer<StoredResponse> gained) {
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

    /** Returns the cached form derived by {@code way} from the stored response. */
    private DerivedForms.@Nullable Entry find(List<DerivedForm> way) {
        return root().representations instanceof DerivedForms kept ? kept.find(way) : null;
    }

    /** Returns the cached forms of its body, creating the container if needed. */
    private synchronized DerivedForms ownForms() {
        if (representations instanceof DerivedForms kept) {
            return kept;
        }
        if (representations instanceof FileBody file) {
            throw file.isInFile();
        }
        var kept = new DerivedForms();
        representations = kept;
        return kept;
    }

    private List<DerivedForm> wayTo(DerivedForm form) {
        if (!(representations instanceof Derivation derivation)) {
            return List.of(form);
        }
        var longer = new ArrayList<>(derivation.way());
        longer.add(form);
        return longer;
    }

    /**
     * From a stored response, the result takes over the reference; from a form, it takes a new one
     * in place of the form's.
     */
    private StoredResponse view(List<DerivedForm> wanted, ByteBuf bytes, DerivedForms.Entry form) {
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

    /** The source of a stamped document without its stamps. */
    DerivedForm.Content unstamped() {
        return new DerivedForm.Content(content.judged().unstamped(copy(0, length())), null);
    }

    /**
     * Returns the source of a stamped document with the stamp of the surrogate that assembles it;
     * not cached. Takes over the caller's reference, and the caller owns one of the result.
     */
    public StoredResponse restamped(Stamp stamp) {
        var bytes = content.judged().restamped(copy(0, length()), stamp);
        return shaped(DerivedForm.Whole.SOURCE, new DerivedForm.Content(bytes, null));
    }

    /** Returns {@code shape} as a response like this one; not cached. */
    private StoredResponse shaped(DerivedForm form, DerivedForm.Content shape) {
        var shaped =
                new StoredResponse(content.withContent(shape, form == DerivedForm.Whole.DECODED));
        release();
        return shaped;
    }

    /** Adds {@code form} to the cached forms, before it is stored. */
    void keep(DerivedForm form, DerivedForm.Content shape) {
        ownForms().keep(wayTo(form), shape);
    }

    /** The cached source of its document, not retained, or null. */
    @Nullable ByteBuf source() {
        var kept = find(List.of(DerivedForm.Whole.SOURCE));
        return kept == null ? null : kept.body();
    }

    /** Copies of all cached forms of its body, without compressed pieces. */
    public List<byte[]> forms() {
        return root().representations instanceof DerivedForms kept ? kept.copies() : List.of();
    }

    /** Copies of the compressed pieces of its body and its forms: deflate blocks (RFC 1951). */
    public List<byte[]> compressed() {
        return root().representations instanceof DerivedForms kept
                ? kept.compressedCopies()
                : List.of();
    }

    /**
     * Returns the same body with a head updated by a validation, with its own references. Keeps the
     * cached forms unless the media type, on which they may depend, has changed.
     */
    StoredResponse validated(
            ResponseHead updated,
            StoredHead rendered,
            Freshness renewed,
            SelectingFields selecting,
            @Nullable ReplacedLines replaced,
            @Nullable RecordHash storage) {
        boolean isOfSameType = Admission.isOfSameType(head().fields(), updated.fields());
        body().retain();
        return new StoredResponse(
                content.validated(updated, rendered, renewed, selecting, replaced, storage),
                isOfSameType ? ownForms().retain() : null);
    }

    /** Returns the same response with another freshness, with its own references. */
    StoredResponse with(Freshness other) {
        body().retain();
        var same = new StoredResponse(content.with(other), ownForms().retain());
        same.testedUpTo = testedUpTo;
        return same;
    }

    /**
     * Returns the inline document {@code key} of this page, for one other page, or null. The caller
     * owns a reference.
     */
    public @Nullable StoredResponse inline(CacheKey key) {
        var page = compiled();
        if (page == null) {
            return null;
        }
        for (var inline : page.inlinesForOthers()) {
            if (inline.key().equals(key)) {
                return new StoredResponse(
                        content.bringing(
                                inline,
                                content.headOfInlines(),
                                StoredHead.NONE,
                                Unpooled.wrappedBuffer(inline.bytes())));
            }
        }
        return null;
    }

    /**
     * Accounts for it in {@code transit} until its last reference is released, if it is private and
     * not accounted for yet. Called by its only owner, before it is passed on.
     */
    public void chargeTo(InFlightBudget transit) {
        var root = root();
        if (!isShared() && root.charge == null) {
            root.charge = Charge.to(transit, root.weightBytes());
        }
    }

    /**
     * Returns its bytes from {@code start} to {@code end} compressed, valid as long as the caller's
     * reference, or null if they are not cached.
     */
    public @Nullable GzipPiece piece(int start, int end) {
        var kept = representations;
        return kept == null ? null : kept.pieces().find(start, end);
    }

    /** The compressed pieces of its body. */
    Pieces pieces() {
        var kept = representations;
        return kept == null ? ownForms().pieces() : kept.pieces();
    }

    /** Whether the store holds it, and so counts the weight of its forms. */
    boolean isInStore() {
        return root().placesInStore > 0;
    }

    /** The stored response of which it is a form, or itself. */
    StoredResponse root() {
        return representations instanceof Derivation form ? form.whole() : this;
    }

    /** Records that the store took one of its references. */
    void entersStore() {
        PLACES.incrementAndGet(this);
    }

    /**
     * Releases the reference of the store. After the last of these, {@code transit} accounts for
     * the response while readers hold it.
     */
    void leavesStore(InFlightBudget transit) {
        if (PLACES.decrementAndGet(this) == 0 && charge == null) {
            charge = Charge.to(transit, weightBytes());
        }
        release();
    }

    /** Takes a reference. Returns false if the last one is already released. */
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
        if (kept instanceof FileBody file) {
            file.record().release();
        }
        var counted = charge;
        if (counted != null) {
            counted.end();
        }
        content.body().release();
        if (kept instanceof DerivedForms forms) {
            forms.release();
        }
    }
}
