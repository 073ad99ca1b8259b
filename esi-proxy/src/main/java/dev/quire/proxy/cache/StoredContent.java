package dev.quire.proxy.cache;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.ContentHash;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.Tags;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of one response: its head and body, what was made of them as they came, and its
 * clocks. It never changes. References of the body are counted by the {@link StoredResponse}.
 *
 * @param head as received, less what must not be kept
 * @param text the same, ready to write
 * @param body in memory of its own; of an ESI document the text between its tags
 * @param compiled the plan of that document; null if it is none
 * @param selecting which requests it answers
 * @param clientLifetime what a client may do with it, at age zero
 * @param tags what purges can name it by
 * @param groups of its origin that it is in
 * @param judged whose the tags of the document are
 * @param carrier the page that brought it along; null if none did
 * @param hashHigh half of the hash of the body; 0 if it is not hashed
 * @param hashLow the other half: many thousands are kept, and an object for each costs more
 */
record StoredContent(
        CacheKey key,
        ResponseHead head,
        StoredHead text,
        ByteBuf body,
        @Nullable CompiledPage compiled,
        Freshness freshness,
        SelectingFields selecting,
        ClientLifetime clientLifetime,
        List<String> tags,
        List<GroupInvalidations.Group> groups,
        Judged judged,
        Traits traits,
        @Nullable CacheKey carrier,
        long hashHigh,
        long hashLow) {

    /** The clocks of what has no head of its own: they stand. */
    private static final Freshness NO_CLOCKS = justNow(Instant.EPOCH);

    private static final ContentHash NO_HASH = new ContentHash(0, 0);

    /** Few are ever said. */
    private static final Shared<ClientLifetime> LIFETIMES = new Shared<>();

    private static final Shared<String> TEXTS = new Shared<>();

    StoredContent {
        if (text != StoredHead.NONE && head.fields() != text) {
            // Of a head that is kept the lines are read from its text.
            head = new ResponseHead(head.status(), shared(head.reason()), text);
        }
        if (traits.isShared()) {
            clientLifetime = LIFETIMES.shared(clientLifetime);
        }
    }

    /**
     * Of a response that is no ESI document.
     *
     * @param isShared whether it may be used for others than the client that asked
     */
    static StoredContent of(
            CacheKey key,
            ResponseHead head,
            StoredHead text,
            ByteBuf body,
            Freshness freshness,
            SelectingFields selecting,
            boolean isShared) {
        var fields = head.fields();
        var hash = isShared ? ContentHash.of(body.nioBuffer()) : NO_HASH;
        return new StoredContent(
                key,
                head,
                text,
                body,
                null,
                freshness,
                selecting,
                ClientLifetime.of(fields, Duration.ZERO),
                isShared ? Tags.of(fields) : List.of(),
                isShared ? GroupInvalidations.of(key, fields) : List.of(),
                Judged.UNSTAMPED,
                Traits.of(fields, isShared, isShared),
                null,
                hash.high(),
                hash.low());
    }

    /** Of one client alone, and of no age. */
    static StoredContent ofOneClient(CacheKey key, ResponseHead head, ByteBuf body) {
        return of(key, head, StoredHead.NONE, body, NO_CLOCKS, SelectingFields.EMPTY, false);
    }

    /** What was made for one page: restricts nothing and has no hash. */
    static StoredContent made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
        return new StoredContent(
                key,
                new ResponseHead(200, "", Fields.EMPTY),
                StoredHead.NONE,
                Unpooled.wrappedBuffer(bytes),
                compiled,
                NO_CLOCKS,
                SelectingFields.EMPTY,
                ClientLifetime.UNRESTRICTED,
                List.of(),
                List.of(),
                Judged.UNSTAMPED,
                Traits.of(Fields.EMPTY, true, false),
                null,
                0,
                0);
    }

    /**
     * The same, judged as it arrived.
     *
     * @param plan of the document whose text the body is; null if it is none
     */
    StoredContent compiled(@Nullable CompiledPage plan, Judged asItCame) {
        return with(plan, freshness, asItCame);
    }

    /** The same with other clocks. */
    StoredContent with(Freshness other) {
        return with(compiled, other, judged);
    }

    private StoredContent with(@Nullable CompiledPage plan, Freshness clocks, Judged asItCame) {
        return new StoredContent(
                key,
                head,
                text,
                body,
                plan,
                clocks,
                selecting,
                clientLifetime,
                tags,
                groups,
                asItCame,
                traits,
                carrier,
                hashHigh,
                hashLow);
    }

    /** The same under a head that a validation has updated. */
    StoredContent validated(
            ResponseHead updated,
            StoredHead updatedText,
            Freshness updatedFreshness,
            SelectingFields updatedSelecting) {
        var fields = updated.fields();
        return new StoredContent(
                key,
                updated,
                updatedText,
                body,
                compiled,
                updatedFreshness,
                updatedSelecting,
                ClientLifetime.of(fields, Duration.ZERO),
                Tags.of(fields),
                isShared() ? GroupInvalidations.of(key, fields) : List.of(),
                judged,
                Traits.of(fields, isShared(), traits.isHashed()),
                null,
                hashHigh,
                hashLow);
    }

    /** A form of the body that is kept, under the same head. */
    StoredContent inForm(ByteBuf form, @Nullable CompiledPage plan, @Nullable ContentHash hash) {
        return form(head, text, form, plan, traits, isShared() && hash != null ? hash : NO_HASH);
    }

    /**
     * A form of the body that is kept nowhere; nor is a text of its head.
     *
     * @param isDecoded whether the content coding has been undone
     */
    StoredContent inShape(Form.Shape shape, boolean isDecoded) {
        var ofShape = isDecoded ? Inflating.decoded(head) : head;
        return form(
                ofShape,
                StoredHead.NONE,
                Unpooled.wrappedBuffer(shape.bytes()),
                shape.compiled(),
                Traits.of(ofShape.fields(), isShared(), isShared()),
                isShared() ? ContentHash.of(shape.bytes()) : NO_HASH);
    }

    private StoredContent form(
            ResponseHead ofForm,
            StoredHead textOfForm,
            ByteBuf form,
            @Nullable CompiledPage plan,
            Traits traitsOfForm,
            ContentHash hash) {
        return new StoredContent(
                key,
                ofForm,
                textOfForm,
                form,
                plan,
                freshness,
                selecting,
                clientLifetime,
                tags,
                List.of(),
                judged,
                traitsOfForm,
                carrier,
                hash.high(),
                hash.low());
    }

    /** The document {@code inline}, which this page brings along, with its own clocks. */
    StoredContent bringing(
            CompiledPage.Inline inline, ResponseHead ofInline, StoredHead ofText, ByteBuf bytes) {
        var hash = isShared() ? ContentHash.of(inline.bytes()) : NO_HASH;
        return new StoredContent(
                inline.key(),
                ofInline,
                ofText,
                bytes,
                inline.compiled(),
                freshness,
                selecting,
                clientLifetime,
                tags,
                isShared() ? GroupInvalidations.of(inline.key(), ofInline.fields()) : List.of(),
                Judged.UNSTAMPED,
                Traits.of(ofInline.fields(), isShared(), isShared()),
                key,
                hash.high(),
                hash.low());
    }

    /** The head of a document in this page: what the head of the page says of those too. */
    ResponseHead headOfInlines() {
        return new ResponseHead(200, "", head.fields().without(name -> !isOfInlines(name)));
    }

    private static boolean isOfInlines(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "cache-control", "cache-groups", "content-type", "date", "expires", "vary" -> true;
            default -> false;
        };
    }

    /** Whether it may be used for others than the client that asked. */
    boolean isShared() {
        return traits.isShared();
    }

    /** The hash of the body; null if it is not hashed: no other request could use it. */
    @Nullable ContentHash hash() {
        return traits.isHashed() ? new ContentHash(hashHigh, hashLow) : null;
    }

    /** What a client may do with it at {@code now}. */
    ClientLifetime clientLifetimeAt(Instant now) {
        return freshness.equals(NO_CLOCKS)
                ? clientLifetime
                : clientLifetime.after(freshness.ageNanosAt(now));
    }

    /** A text that many responses have in common. */
    static String shared(String text) {
        return TEXTS.shared(text);
    }

    /** The clocks of what is used once, by the client that asked at {@code receivedAt}. */
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
}
