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
 * The content of one stored response: head, body, everything derived from them on arrival, and
 * freshness. Immutable. References to the body are counted by the {@link StoredResponse}.
 *
 * @param head after response rules, without fields that must not be stored
 * @param text the head, preformatted
 * @param body in its own memory; for an ESI document, the text between its tags
 * @param compiled the compiled document; null if it is not an ESI document
 * @param selecting the requests it matches
 * @param clientLifetime the lifetime for clients, at age zero
 * @param tags the tags for purges
 * @param judged the verdict on the tags of the document
 * @param hashHigh one half of the hash of the body; 0 if not hashed
 * @param hashLow the other half; an object per hash would cost more memory
 * @param replaced by response rules; null if these have not changed the head
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
        StampTrust judged,
        Traits traits,
        long hashHigh,
        long hashLow,
        @Nullable ReplacedLines replaced) {

    /** The freshness of content without a head of its own; it does not age. */
    private static final Freshness NO_CLOCKS = justNow(Instant.EPOCH);

    private static final ContentHash NO_HASH = new ContentHash(0, 0);

    /** There are few different ones. */
    private static final Shared<ClientLifetime> LIFETIMES = new Shared<>();

    private static final Shared<String> TEXTS = new Shared<>();

    StoredContent {
        if (text != StoredHead.NONE && head.fields() != text) {
            // Field lines are read from the preformatted text.
            head = new ResponseHead(head.status(), shared(head.reason()), text);
        }
        if (traits.isShared()) {
            clientLifetime = LIFETIMES.shared(clientLifetime);
        }
    }

    /**
     * Creates the content of a response that is not an ESI document.
     *
     * @param isShared whether other clients than the requesting one may use it
     */
    static StoredContent of(
            CacheKey key,
            ResponseHead head,
            StoredHead text,
            ByteBuf body,
            Freshness freshness,
            SelectingFields selecting,
            boolean isShared) {
        var hash = isShared ? ContentHash.of(body.nioBuffer()) : null;
        return of(key, head, text, body, freshness, selecting, hash);
    }

    /**
     * Creates the content of a response that is not an ESI document.
     *
     * @param hash of the body; null if only the requesting client may use it
     */
    static StoredContent of(
            CacheKey key,
            ResponseHead head,
            StoredHead text,
            ByteBuf body,
            Freshness freshness,
            SelectingFields selecting,
            @Nullable ContentHash hash) {
        var fields = head.fields();
        boolean isShared = hash != null;
        var known = hash == null ? NO_HASH : hash;
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
                StampTrust.UNSTAMPED,
                Traits.of(fields, isShared, isShared),
                known.high(),
                known.low(),
                null);
    }

    /** Creates private content without age. */
    static StoredContent ofOneClient(CacheKey key, ResponseHead head, ByteBuf body) {
        return of(key, head, StoredHead.NONE, body, NO_CLOCKS, SelectingFields.EMPTY, false);
    }

    /** Creates content for one page, without restrictions and without a hash. */
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
                StampTrust.UNSTAMPED,
                Traits.of(Fields.EMPTY, true, false),
                0,
                0,
                null);
    }

    /**
     * Returns this content with another decision on its tags.
     *
     * @param plan compiled document of which the body is the text; null if it is not an ESI
     *     document
     * @param parsing the settings under which it was parsed
     * @param storage of its route, as in {@link RouteCacheRules}
     */
    StoredContent compiled(
            @Nullable CompiledPage plan,
            StampTrust asItCame,
            ParseFingerprint parsing,
            @Nullable RecordHash storage) {
        return with(plan, freshness, asItCame, traits.storedUnder(parsing, storage));
    }

    StoredContent with(Freshness other) {
        return with(compiled, other, judged, traits);
    }

    /** Returns this content with the difference that rules made to its head. */
    StoredContent replacing(@Nullable ReplacedLines lines) {
        return lines == null
                ? this
                : new StoredContent(
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
                        traits,
                        hashHigh,
                        hashLow,
                        lines);
    }

    private StoredContent with(
            @Nullable CompiledPage plan, Freshness clocks, StampTrust asItCame, Traits asParsed) {
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
                asItCame,
                asParsed,
                hashHigh,
                hashLow,
                replaced);
    }

    StoredContent validated(
            ResponseHead updated,
            StoredHead updatedText,
            Freshness updatedFreshness,
            SelectingFields updatedSelecting,
            @Nullable ReplacedLines updatedReplaced,
            @Nullable RecordHash storage) {
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
                judged,
                Traits.of(fields, isShared(), traits.isHashed())
                        .storedUnder(traits.parsing(), storage),
                hashHigh,
                hashLow,
                updatedReplaced);
    }

    /** Returns a cached form of the body, with the same head. */
    StoredContent inForm(ByteBuf form, @Nullable CompiledPage plan, @Nullable ContentHash hash) {
        return form(head, text, form, plan, traits, isShared() && hash != null ? hash : NO_HASH);
    }

    /**
     * Returns a form of the body that is not cached, without a preformatted head.
     *
     * @param isDecoded whether the content coding was removed
     */
    StoredContent withContent(DerivedForm.Content shape, boolean isDecoded) {
        var ofShape = Traits.of(head.fields(), isShared(), isShared());
        return form(
                head,
                StoredHead.NONE,
                Unpooled.wrappedBuffer(shape.bytes()),
                shape.compiled(),
                isDecoded ? ofShape.decoded() : ofShape,
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
                judged,
                traitsOfForm,
                hash.high(),
                hash.low(),
                replaced);
    }

    /**
     * Returns the content of {@code inline}, an inline fragment of this page, with its own
     * freshness.
     */
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
                StampTrust.UNSTAMPED,
                Traits.of(ofInline.fields(), isShared(), isShared()),
                hash.high(),
                hash.low(),
                null);
    }

    /** The head for the inline fragments of this page: the fields that apply to them too. */
    ResponseHead headOfInlines() {
        return new ResponseHead(200, "", head.fields().without(name -> !isOfInlines(name)));
    }

    private static boolean isOfInlines(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "cache-control", "cache-groups", "content-type", "date", "expires", "vary" -> true;
            default -> false;
        };
    }

    /** Whether other clients than the requesting one may use it. */
    boolean isShared() {
        return traits.isShared();
    }

    /** The hash of the body; null if it is not hashed, since no other request could use it. */
    @Nullable ContentHash hash() {
        return traits.isHashed() ? new ContentHash(hashHigh, hashLow) : null;
    }

    ClientLifetime clientLifetimeAt(Instant now) {
        return freshness.equals(NO_CLOCKS)
                ? clientLifetime
                : clientLifetime.after(freshness.ageNanosAt(now));
    }

    /** Returns {@code key} with an interned authority: stored keys have few different ones. */
    static CacheKey shared(CacheKey key) {
        return new CacheKey(key.scheme(), shared(key.authority()), key.target(), key.parts());
    }

    /** Interns a string that many responses have in common. */
    static String shared(String text) {
        return TEXTS.shared(text);
    }

    /**
     * The freshness of content used once, by the client that requested it at {@code receivedAt}.
     */
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
