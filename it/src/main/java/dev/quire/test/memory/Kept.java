package dev.quire.test.memory;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.PartBody;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.CacheGroups;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.ContentHash;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.StoredView;
import dev.quire.core.policy.Validation;
import dev.quire.core.policy.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/** A response kept whole, in the store or on its way to one reader. Never changes. */
final class Kept implements PartBody, StoredView {
    private static final int MAX_TAGS = 128;
    private static final int MAX_TAG_LENGTH = 256;

    /** The clocks of what has no head of its own: they stand. */
    private static final Freshness NO_CLOCKS = justNow(Instant.EPOCH);

    private final CacheKey key;
    private final ResponseHead head;
    private final byte[] body;
    private final @Nullable CompiledPage compiled;
    private final Freshness freshness;
    private final SelectingFields selecting;
    private final ClientLifetime lifetime;
    private final boolean isShared;
    private final Origins origins;
    private final @Nullable ContentHash hash;

    /**
     * What it came as.
     *
     * @param fields of the response, before anything was left out
     * @param body without content coding; of a document with its tags
     * @param verdict whose its tags are
     * @param stamp the one its tags bear; null if they bear none
     * @param hasSource whether it may be asked for as it came
     * @param carrier the page that brought it along; null if none did
     */
    record Origins(
            Fields fields,
            Bytes body,
            Verdict verdict,
            @Nullable Stamp stamp,
            boolean hasSource,
            @Nullable CacheKey carrier) {

        static final Origins NONE =
                new Origins(Fields.EMPTY, Bytes.NONE, Verdict.UNSTAMPED, null, false, null);
    }

    /**
     * @param head less what must not be kept
     * @param body of a document its text alone
     * @param compiled null when it is no ESI document
     * @param lifetime what a client may do with it, at age zero
     * @param isShared whether it may be used for others than the one who asked
     */
    Kept(
            CacheKey key,
            ResponseHead head,
            byte[] body,
            @Nullable CompiledPage compiled,
            Freshness freshness,
            SelectingFields selecting,
            ClientLifetime lifetime,
            boolean isShared,
            Origins origins) {
        this.key = key;
        this.head = head;
        this.body = body;
        this.compiled = compiled;
        this.freshness = freshness;
        this.selecting = selecting;
        this.lifetime = lifetime;
        this.isShared = isShared;
        this.origins = origins;
        this.hash = isShared ? ContentHash.of(body) : null;
    }

    /** What was made for one page of what is part of it already: restricts nothing. */
    static Kept made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
        return new Kept(
                key,
                new ResponseHead(200, "", Fields.EMPTY),
                bytes,
                compiled,
                NO_CLOCKS,
                SelectingFields.EMPTY,
                ClientLifetime.UNRESTRICTED,
                true,
                Origins.NONE);
    }

    /** In place of a fragment that nobody asks for: empty, and one reader's own. */
    static Kept unknown(CacheKey key) {
        return new Kept(
                key,
                new ResponseHead(200, "", Fields.EMPTY),
                new byte[0],
                null,
                NO_CLOCKS,
                SelectingFields.EMPTY,
                ClientLifetime.of(Fields.EMPTY, Duration.ZERO),
                false,
                Origins.NONE);
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

    /** The same under a head that a validation has updated. */
    Kept validated(
            ResponseHead updated, Freshness updatedFreshness, SelectingFields updatedSelecting) {
        return new Kept(
                key,
                updated,
                body,
                compiled,
                updatedFreshness,
                updatedSelecting,
                ClientLifetime.of(updated.fields(), Duration.ZERO),
                isShared,
                origins);
    }

    /** The same in another form. */
    Kept shaped(byte[] bytes, @Nullable CompiledPage as) {
        return new Kept(key, head, bytes, as, freshness, selecting, lifetime, isShared, origins);
    }

    /** The same, its content coding undone. */
    Kept decoded(Bytes plain) {
        return new Kept(
                key,
                new ResponseHead(head.status(), head.reason(), Coding.undone(head.fields())),
                plain.copy(),
                compiled,
                freshness,
                selecting,
                lifetime,
                isShared,
                origins);
    }

    /** {@code inline}, which it brings along, with its own clocks. */
    Kept bringing(CompiledPage.Inline inline) {
        var ofInline = new ResponseHead(200, "", head.fields().without(name -> !isOfInlines(name)));
        return new Kept(
                inline.key(),
                ofInline,
                inline.bytes(),
                inline.compiled(),
                freshness,
                selecting,
                lifetime,
                isShared,
                new Origins(
                        ofInline.fields(),
                        new Bytes(inline.bytes()),
                        Verdict.UNSTAMPED,
                        null,
                        false,
                        key));
    }

    /** An ESI document as it came, but for its stamps, which are for nobody to see. */
    Kept source() {
        var stamp = origins.stamp();
        var bytes = origins.body().copy();
        if (stamp != null) {
            bytes =
                    new String(bytes, ISO_8859_1)
                            .replace(stamp.text() + ':', "")
                            .replace(stamp.text(), "")
                            .getBytes(ISO_8859_1);
        }
        return shaped(bytes, null);
    }

    CacheKey key() {
        return key;
    }

    ResponseHead head() {
        return head;
    }

    Origins origins() {
        return origins;
    }

    @Override
    public @Nullable CompiledPage compiled() {
        return compiled;
    }

    @Override
    public int length() {
        return body.length;
    }

    @Override
    public int status() {
        return head.status();
    }

    @Override
    public byte[] copy(int start, int end) {
        return Arrays.copyOfRange(body, start, end);
    }

    byte[] bytes() {
        return copy(0, body.length);
    }

    @Override
    public Freshness freshness() {
        return freshness;
    }

    @Override
    public boolean hasValidator() {
        return Validation.hasValidator(head.fields());
    }

    SelectingFields selecting() {
        return selecting;
    }

    boolean isShared() {
        return isShared;
    }

    /** What stands for the bytes of its body; null if no other request could use it. */
    @Nullable ContentHash hash() {
        return hash;
    }

    /** What a client may do with it at {@code now}. */
    ClientLifetime lifetimeAt(Instant now) {
        return freshness.equals(NO_CLOCKS) ? lifetime : lifetime.after(freshness.ageAt(now));
    }

    boolean isSuccess() {
        return status() >= 200 && status() < 300;
    }

    /** Whether its bytes are in a content coding. */
    boolean isCoded() {
        return Coding.isNamedBy(head.fields());
    }

    /** Whether {@code other} names the same media type. */
    boolean isOfSameType(ResponseHead other) {
        return head.fields().all("content-type").equals(other.fields().all("content-type"));
    }

    /** When the application made it, in whole seconds: its Date, or without one when it came. */
    Instant date() {
        return Optional.ofNullable(head.fields().first("Date"))
                .flatMap(HttpDate::parse)
                .orElseGet(() -> freshness.receivedAt().truncatedTo(ChronoUnit.SECONDS));
    }

    /** The length of its body as the application sent it; -1 when that is not known. */
    long originBytes() {
        var named = head.fields().first("content-length");
        if (named == null) {
            return compiled == null ? body.length : -1;
        }
        try {
            return Long.parseLong(named.strip());
        } catch (NumberFormatException noNumber) {
            return -1;
        }
    }

    /** What purges can call it by. */
    Set<String> tags() {
        var fields = head.fields();
        var tags = new LinkedHashSet<String>();
        split(fields.all("surrogate-key"), " \t", tags);
        split(fields.all("xkey"), " \t", tags);
        split(fields.all("cache-tag"), ",", tags);
        tags.addAll(groups());
        return new LinkedHashSet<>(tags.stream().limit(MAX_TAGS).toList());
    }

    /** The groups of its origin that it is in (RFC 9875 §2). */
    Set<String> groups() {
        return CacheGroups.of(head.fields());
    }

    private static void split(List<String> lines, String separators, Set<String> tags) {
        for (var line : lines) {
            var parts = new StringTokenizer(line, separators);
            while (parts.hasMoreTokens()) {
                var tag = parts.nextToken().strip();
                if (!tag.isEmpty() && tag.length() <= MAX_TAG_LENGTH) {
                    tags.add(tag);
                }
            }
        }
    }

    /** What a page's head says of the documents in it too. */
    private static boolean isOfInlines(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "cache-control", "cache-groups", "content-type", "date", "expires", "vary" -> true;
            default -> false;
        };
    }

    @Override
    public String toString() {
        return status() + " " + key.url();
    }
}
