package dev.quire.proxy.route;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.SignedVariant;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds to each request the variant of its reader, as signed by the application in a cookie; the
 * field in the client's own request is ignored. Thread-safe.
 */
public final class ReaderVariants {

    /** For configurations without variants. */
    public static final ReaderVariants NONE = new ReaderVariants(null, () -> Instant.EPOCH);

    /** Number of verified cookies that are cached; a power of two. */
    private static final int REMEMBERED = 1024;

    private final SignedVariant.@Nullable Key key;
    private final Supplier<Instant> wall;
    private final AtomicReferenceArray<@Nullable Verified> verified;

    /** A cookie with a valid signature, until it expires. */
    private record Verified(String cookie, String payload, Instant expires) {}

    private ReaderVariants(SignedVariant.@Nullable Key key, Supplier<Instant> wall) {
        this.key = key;
        this.wall = wall;
        this.verified = new AtomicReferenceArray<>(key == null ? 0 : REMEMBERED);
    }

    /**
     * Returns the variants signed with {@code key}.
     *
     * @param wall the time of day
     */
    public static ReaderVariants of(SignedVariant.Key key, Supplier<Instant> wall) {
        return new ReaderVariants(key, wall);
    }

    /** Returns {@code received} with the variant, as all later steps see it. */
    public RequestHead of(RequestHead received) {
        var fields = received.fields();
        if (key != null) {
            return with(received, new VariantFields(fields, this));
        }
        return fields.contains(SignedVariant.FIELD)
                ? with(received, fields.without(ReaderVariants::isOurs))
                : received;
    }

    private static RequestHead with(RequestHead head, Fields fields) {
        return new RequestHead(
                head.method(), head.scheme(), head.authority(), head.target(), fields);
    }

    private static boolean isOurs(String name) {
        return name.equalsIgnoreCase(SignedVariant.FIELD);
    }

    private String payloadOf(Fields request) {
        var cookie = key == null ? null : only(request.all("Cookie"), key.cookie());
        if (key == null || cookie == null) {
            return SignedVariant.NONE;
        }
        int place = cookie.hashCode() & (REMEMBERED - 1);
        var known = verified.get(place);
        var now = wall.get();
        if (known != null && now.isBefore(known.expires()) && isSame(known.cookie(), cookie)) {
            return known.payload();
        }
        var variant = key.verify(cookie, now);
        if (variant.isEmpty()) {
            return SignedVariant.NONE;
        }
        var payload = variant.get().payload();
        verified.set(place, new Verified(cookie, payload, variant.get().expires()));
        return payload;
    }

    /** Compares in constant time. */
    private static boolean isSame(String known, String given) {
        return MessageDigest.isEqual(
                known.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the value of the only cookie called {@code name}, or null if absent or repeated. */
    private static @Nullable String only(List<String> lines, String name) {
        String only = null;
        for (var line : lines) {
            for (var pair : FieldList.split(line, ';')) {
                if (pair.startsWith(name) && pair.startsWith("=", name.length())) {
                    if (only != null) {
                        return null;
                    }
                    only = pair.substring(name.length() + 1);
                }
            }
        }
        return only;
    }

    /** The fields of a request with its variant, which is verified on first use. */
    private static final class VariantFields implements Fields {
        private final Fields received;
        private final ReaderVariants variants;
        private @Nullable String payload;

        VariantFields(Fields received, ReaderVariants variants) {
            this.received = received;
            this.variants = variants;
        }

        private String payload() {
            if (payload == null) {
                payload = variants.payloadOf(received);
            }
            return payload;
        }

        @Override
        public @Nullable String first(String name) {
            return isOurs(name) ? payload() : received.first(name);
        }

        @Override
        public List<String> all(String name) {
            return isOurs(name) ? List.of(payload()) : received.all(name);
        }

        @Override
        public boolean contains(String name) {
            return isOurs(name) || received.contains(name);
        }

        @Override
        public void forEach(BiConsumer<String, String> line) {
            received.forEach((name, value) -> {
                if (!isOurs(name)) {
                    line.accept(name, value);
                }
            });
            line.accept(SignedVariant.FIELD, payload());
        }
    }
}
