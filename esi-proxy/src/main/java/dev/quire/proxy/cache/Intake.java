package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.Plan;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.ForwardedFields;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.Moments;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.Storing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
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

        /** It is an ESI document for one exchange: kept whole, not stored. */
        record Compile(Enum<?> reason) implements Treatment {}

        /** It flows past. */
        record Flow(Enum<?> reason) implements Treatment {}
    }

    /** Why a response that may be stored is not. */
    enum Oversize {
        SIZE
    }

    private final CacheKey key;
    private final RequestHead request;
    private final IntakeRules rules;
    private final Flight.Surroundings around;

    private @Nullable ResponseHead head;
    private @Nullable Freshness freshness;
    private SelectingFields selecting = SelectingFields.EMPTY;
    private boolean isShared;
    private @Nullable EsiParser parser;
    private @Nullable Inflating inflating;
    private @Nullable ByteBuf body;
    private long takenBytes;

    Intake(CacheKey key, RequestHead request, IntakeRules rules, Flight.Surroundings around) {
        this.key = key;
        this.request = request;
        this.rules = rules;
        this.around = around;
    }

    /** Judges the head; the body, if it is kept, follows through {@link #add}. */
    Treatment begin(ResponseHead received, Moments moments) {
        var storing = CachePolicy.storing(request, received, moments, rules.settings());
        boolean isDocument = rules.isDocument(received);
        var treatment =
                switch (storing) {
                    case Storing.Keep keep when fits(received) -> {
                        freshness = keep.freshness();
                        yield new Treatment.Store(isDocument);
                    }
                    case Storing.Keep ignored -> new Treatment.Flow(Oversize.SIZE);
                    case Storing.Refuse refuse ->
                            isDocument
                                    ? new Treatment.Compile(refuse.reason())
                                    : new Treatment.Flow(refuse.reason());
                };
        if (treatment instanceof Treatment.Flow) {
            return treatment;
        }
        isShared = treatment instanceof Treatment.Store;
        if (freshness == null) {
            freshness = StoredResponse.NO_CLOCKS;
        }
        selecting = SelectingFields.of(received.fields(), request);
        if (isDocument) {
            parser = new EsiParser();
        }
        if (rules.mayBeParsed(received)) {
            inflating = Inflating.of(received.fields(), rules.maxDocumentBytes());
        }
        head = kept(received, moments);
        return treatment;
    }

    /** Which requests the response answers. */
    SelectingFields selecting() {
        return selecting;
    }

    /** Keeps {@code data}, which stays the caller's; a failure ends the intake. */
    @Nullable Failure add(ByteBuf data) {
        if (inflating == null) {
            return keep(data);
        }
        return inflating.add(data, this::keep);
    }

    /** The response, once its last byte has been added. The caller owns its first reference. */
    StoredResponse finish() {
        var whole = exactly(body);
        body = null;
        giveBack();
        var complete = present(head);
        Plan plan = parser == null ? null : planOf(parser.finish());
        var clocks = present(freshness);
        return new StoredResponse(
                key,
                complete,
                around.heads().render(complete, whole.readableBytes(), plan != null),
                whole,
                plan,
                clocks,
                selecting,
                ClientLifetime.of(complete.fields(), clocks.initialAge()),
                Tags.of(complete.fields()),
                isShared);
    }

    /** {@code stale} under the fields of a 304 (RFC 9111 §4.3.4), or null if it may not be kept. */
    @Nullable StoredResponse validated(StoredResponse stale, ResponseHead merged, Moments moments) {
        if (!(CachePolicy.storing(request, merged, moments, rules.settings())
                        instanceof Storing.Keep keep)
                || rules.isDocument(merged) != (stale.plan() != null)) {
            return null;
        }
        var updated = kept(merged, moments);
        return stale.validated(
                updated,
                around.heads().render(updated, stale.length(), stale.plan() != null),
                keep.freshness(),
                ClientLifetime.of(updated.fields(), keep.freshness().initialAge()),
                Tags.of(updated.fields()));
    }

    /** Drops what has been kept. */
    void discard() {
        if (body != null) {
            body.release();
            body = null;
        }
        if (inflating != null) {
            inflating.discard();
            inflating = null;
        }
        giveBack();
    }

    private Plan planOf(ParsedPage page) {
        around.events().parsed(page.errors());
        return Plan.of(page, key, rules.resolver());
    }

    private @Nullable Failure keep(ByteBuf data) {
        int bytes = data.readableBytes();
        long limit = parser == null ? rules.maxObjectBytes() : rules.maxDocumentBytes();
        if (takenBytes + bytes > limit) {
            return new Failure(
                    Side.ORIGIN, Kind.TOO_LARGE, key.url() + " is larger than " + limit + " bytes");
        }
        if (!around.transit().tryTake(bytes)) {
            return new Failure(Side.PROXY, Kind.OVERLOAD, "bodies in transit hold all they may");
        }
        takenBytes += bytes;
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

    private boolean fits(ResponseHead received) {
        var length = received.fields().first("content-length");
        return length == null || Long.parseLong(length.strip()) <= rules.maxObjectBytes();
    }

    /** What is kept of a head: no connection's fields, a Date, no coding that was undone. */
    private ResponseHead kept(ResponseHead received, Moments moments) {
        var kept = ForwardedFields.storable(received.fields());
        if (inflating != null) {
            kept = kept.without("content-encoding"::equalsIgnoreCase);
        }
        if (!kept.contains("date")) {
            kept =
                    new Fields.Builder()
                            .addAll(kept)
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
        var exact = UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
        if (collected != null) {
            exact.writeBytes(collected);
            collected.release();
        }
        return exact;
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("a body was kept before its head was judged");
        }
        return value;
    }
}
