package dev.quire.proxy.cache;

import dev.quire.core.assemble.PartBody;
import dev.quire.core.assemble.Plan;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.StoredView;
import dev.quire.core.policy.Validation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A response kept whole, with what was made of it when it arrived: its head ready to write, its
 * plan, its clocks. In the store, or only on its way to the one exchange that asked.
 *
 * <p>It counts its own references: the maker holds the first. Look-up retains by {@link
 * #tryRetain}, which fails once the last reference is gone, so an eviction can never pull memory
 * from under a reader. What is being written holds slices of {@link #body}, and so outlives it.
 */
public final class StoredResponse implements PartBody, StoredView {

    /** All objects of a plain entry on the heap, the store's own node included. */
    private static final int OVERHEAD_BYTES = 700;

    /** The clocks of what is never stored: they stand. */
    static final Freshness NO_CLOCKS =
            new Freshness(
                    Instant.EPOCH,
                    Duration.ZERO,
                    Duration.ZERO,
                    Duration.ZERO,
                    Duration.ZERO,
                    Duration.ZERO,
                    true);

    private static final AtomicIntegerFieldUpdater<StoredResponse> REFERENCES =
            AtomicIntegerFieldUpdater.newUpdater(StoredResponse.class, "references");

    private final CacheKey key;
    private final ResponseHead head;
    private final ByteBuf headBytes;
    private final ByteBuf body;
    private final @Nullable Plan plan;
    private final Freshness freshness;
    private final SelectingFields selecting;
    private final ClientLifetime clientLifetime;
    private final List<String> tags;
    private final boolean isShared;
    private final boolean hasValidator;
    private volatile int references = 1;

    /**
     * Takes over one reference of {@code headBytes} and one of {@code body}.
     *
     * @param head as received, less what must not be kept
     * @param headBytes ready to write, but for what changes with each answer
     * @param plan null when the body is not an ESI document
     * @param clientLifetime what a client may do with it, at its initial age
     * @param isShared whether it may be used for others than the one who asked
     */
    StoredResponse(
            CacheKey key,
            ResponseHead head,
            ByteBuf headBytes,
            ByteBuf body,
            @Nullable Plan plan,
            Freshness freshness,
            SelectingFields selecting,
            ClientLifetime clientLifetime,
            List<String> tags,
            boolean isShared) {
        this.key = key;
        this.head = head;
        this.headBytes = headBytes;
        this.body = body;
        this.plan = plan;
        this.freshness = freshness;
        this.selecting = selecting;
        this.clientLifetime = clientLifetime;
        this.tags = tags;
        this.isShared = isShared;
        this.hasValidator = Validation.hasValidator(head.fields());
    }

    /** A fragment that is one client's own, collected while it came; takes over {@code pieces}. */
    public static StoredResponse ofOneClient(
            CacheKey key, ResponseHead head, Collection<ByteBuf> pieces) {
        var body = Unpooled.wrappedBuffer(pieces.toArray(ByteBuf[]::new));
        pieces.clear();
        return notShared(key, head, body);
    }

    /** In place of a fragment that nobody asks for: empty, and one client's own. */
    public static StoredResponse unknown(CacheKey key) {
        return notShared(key, new ResponseHead(200, "", Fields.EMPTY), Unpooled.EMPTY_BUFFER);
    }

    private static StoredResponse notShared(CacheKey key, ResponseHead head, ByteBuf body) {
        return new StoredResponse(
                key,
                head,
                Unpooled.EMPTY_BUFFER,
                body,
                null,
                NO_CLOCKS,
                SelectingFields.EMPTY,
                ClientLifetime.UNRESTRICTED,
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

    /** The head ready to write, but for what changes with each answer; not retained. */
    public ByteBuf headBytes() {
        return headBytes;
    }

    /** The whole body; not retained. */
    public ByteBuf body() {
        return body;
    }

    @Override
    public @Nullable Plan plan() {
        return plan;
    }

    @Override
    public int length() {
        return body.readableBytes();
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
    public SelectingFields selecting() {
        return selecting;
    }

    /** What purges can call it by. */
    public List<String> tags() {
        return tags;
    }

    /** Whether it may be used for others than the one who asked. */
    public boolean isShared() {
        return isShared;
    }

    /** What a client may do with it at {@code now}. */
    public ClientLifetime clientLifetimeAt(Instant now) {
        return clientLifetime.after(freshness.ageAt(now).minus(freshness.initialAge()));
    }

    /** Whether its status says that it is what was asked for. */
    public boolean isSuccess() {
        return head.status() >= 200 && head.status() < 300;
    }

    /** The bytes it costs: memory of its own, and its share of the heap. */
    public long weightBytes() {
        return OVERHEAD_BYTES + (long) headBytes.capacity() + body.capacity() + planBytes();
    }

    /**
     * The same body under a head that a validation has updated. The result has its own references.
     */
    StoredResponse validated(
            ResponseHead updated,
            ByteBuf updatedHeadBytes,
            Freshness updatedFreshness,
            ClientLifetime updatedClientLifetime,
            List<String> updatedTags) {
        return new StoredResponse(
                key,
                updated,
                updatedHeadBytes,
                body.retain(),
                plan,
                updatedFreshness,
                selecting,
                updatedClientLifetime,
                updatedTags,
                isShared);
    }

    /** The same response with other clocks. The result has its own references. */
    StoredResponse with(Freshness other) {
        return new StoredResponse(
                key,
                head,
                headBytes.retain(),
                body.retain(),
                plan,
                other,
                selecting,
                clientLifetime,
                tags,
                isShared);
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
            headBytes.release();
            body.release();
        } else if (left < 0) {
            throw new IllegalStateException("released more often than retained: " + key.url());
        }
    }

    private long planBytes() {
        return plan == null ? 0 : 120L * plan.parts().size();
    }
}
