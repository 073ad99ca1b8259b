package dev.quire.test.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.ForwardedFields;
import dev.quire.core.policy.SignedVariant;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The heads that readers get. */
final class Heads {
    /** Fields of a page that are not true of what is assembled from it. */
    private static final Set<String> NOT_OF_A_PAGE =
            Set.of(
                    "cache-control",
                    "expires",
                    "etag",
                    "last-modified",
                    "content-md5",
                    "digest",
                    "content-digest",
                    "repr-digest",
                    "accept-ranges",
                    "pragma");

    /** What a 304 carries of the response it stands for (RFC 9110 §15.4.5). */
    private static final List<String> NOT_MODIFIED_FIELDS =
            List.of(
                    "Cache-Control",
                    "CDN-Cache-Control",
                    "Content-Location",
                    "Date",
                    "ETag",
                    "Expires",
                    "Last-Modified",
                    "Vary");

    private static final String VIA = "1.1 quire";
    private static final String VARIANT = SignedVariant.FIELD.toLowerCase(Locale.ROOT);

    private Heads() {}

    /** Of a response from the store that is no page. */
    static ResponseHead stored(Kept kept, Instant now) {
        var lines = new Fields.Builder();
        kept.head().fields().forEach((name, value) -> add(name, value, lines));
        lines.add("Via", VIA);
        if (mayHaveLength(kept.status())) {
            lines.add("Content-Length", Integer.toString(kept.length()));
        }
        age(kept, now, lines);
        return new ResponseHead(kept.status(), kept.head().reason(), lines.build());
    }

    /**
     * Of a response as it comes.
     *
     * @param isUnassembled whether it is the head of a page whose body would have been assembled
     * @param isHead whether no body follows
     */
    static ResponseHead passing(Kept kept, boolean isUnassembled, boolean isHead, Instant wall) {
        var came = ForwardedFields.forwardable(kept.origins().fields());
        var lines = new Fields.Builder();
        came.forEach((name, value) -> {
            var lower = name.toLowerCase(Locale.ROOT);
            if (lower.equals("age")) {
                if (!isUnassembled) {
                    lines.add(name, value);
                }
            } else if (!isUnassembled || !NOT_OF_A_PAGE.contains(lower)) {
                add(name, value, lines);
            }
        });
        if (isUnassembled) {
            lines.add("Cache-Control", "private, no-cache");
        }
        lines.add("Via", VIA);
        if (!came.contains("date")) {
            lines.add("Date", HttpDate.format(wall));
        }
        var length = isHead ? came.first("content-length") : Integer.toString(kept.length());
        if (mayHaveLength(kept.status()) && !isUnassembled && length != null) {
            lines.add("Content-Length", length);
        }
        return new ResponseHead(kept.status(), kept.head().reason(), lines.build());
    }

    /** Of 304 in place of a response that is no page (RFC 9110 §15.4.5). */
    static ResponseHead notModified(Kept kept, boolean isFirstHand, Instant now) {
        var lines = new Fields.Builder();
        for (var name : NOT_MODIFIED_FIELDS) {
            kept.head().fields().all(name).forEach(value -> add(name, value, lines));
        }
        lines.add("Via", VIA);
        if (!isFirstHand) {
            age(kept, now, lines);
        }
        return new ResponseHead(304, "", lines.build());
    }

    /** Of what a page says besides, which is made anew each time. */
    static ResponseHead page(AssembledHead.Said said, Instant wall) {
        var page = said.page().head();
        var amendment = said.amendment();
        var lines = new Fields.Builder();
        page.fields()
                .forEach((name, value) -> {
                    var lower = name.toLowerCase(Locale.ROOT);
                    boolean isOfAPage = !lower.equals("date") && !NOT_OF_A_PAGE.contains(lower);
                    if (isOfAPage && !amendment.replaces(lower)) {
                        add(name, value, lines);
                    }
                });
        amendment.fields().forEach(field -> add(field.name(), field.value(), lines));
        lines.add("Via", VIA);
        anew(said, wall, lines);
        said.cookies().forEach(cookie -> lines.add("Set-Cookie", cookie));
        return new ResponseHead(
                said.status(), said.status() == page.status() ? page.reason() : "", lines.build());
    }

    /** Of 304 in place of an assembled page. */
    static ResponseHead notModified(AssembledHead.Said said, Instant wall) {
        var lines = new Fields.Builder();
        for (var name : List.of("Content-Location", "Vary")) {
            said.page().head().fields().all(name).forEach(value -> add(name, value, lines));
            said.amendment().fields().stream()
                    .filter(field -> field.name().equalsIgnoreCase(name))
                    .forEach(field -> add(name, field.value(), lines));
        }
        lines.add("Via", VIA);
        anew(said, wall, lines);
        return new ResponseHead(304, "", lines.build());
    }

    /** Of an answer of the surrogate's own. */
    static ResponseHead error(ErrorPage page, Instant wall) {
        var lines =
                new Fields.Builder()
                        .add("Date", HttpDate.format(wall))
                        .add("Content-Type", "text/plain; charset=utf-8")
                        .add("Cache-Control", "no-store")
                        .add("X-Content-Type-Options", "nosniff")
                        .add("Content-Length", Integer.toString(text(page).length));
        return new ResponseHead(page.status(), "", lines.build());
    }

    static byte[] text(ErrorPage page) {
        return (page.text() + "\n").getBytes(UTF_8);
    }

    /** {@code head} with the length of its body. */
    static ResponseHead withLength(ResponseHead head, int bytes) {
        return mayHaveLength(head.status())
                ? new ResponseHead(
                        head.status(),
                        head.reason(),
                        new Fields.Builder()
                                .addAll(head.fields())
                                .add("Content-Length", Integer.toString(bytes))
                                .build())
                : head;
    }

    private static void anew(AssembledHead.Said said, Instant wall, Fields.Builder lines) {
        lines.add("Date", HttpDate.format(wall));
        lines.add("Cache-Control", said.cacheControl());
        if (said.tag() != null) {
            lines.add("ETag", said.tag());
        }
        if (!said.varies().isEmpty()) {
            lines.add("Vary", String.join(", ", said.varies()));
        }
    }

    private static void age(Kept kept, Instant now, Fields.Builder lines) {
        if (kept.isShared()) {
            lines.add("Age", Long.toString(kept.freshness().ageAt(now).toSeconds()));
        }
    }

    /** Adds a line as it goes on to readers, if it does. */
    private static void add(String name, String value, Fields.Builder lines) {
        var lower = name.toLowerCase(Locale.ROOT);
        if (isOurs(lower)) {
            return;
        }
        if (!lower.equals("vary")) {
            lines.add(name, value);
        } else if (!forReaders(value).isEmpty()) {
            lines.add(name, forReaders(value));
        }
    }

    /**
     * What Vary means for readers: {@code Surrogate-Capability} is constant for them, and the
     * variant is what their cookies say.
     */
    private static String forReaders(String vary) {
        var lower = vary.toLowerCase(Locale.ROOT);
        if (!lower.contains("surrogate-capability") && !lower.contains(VARIANT)) {
            return vary;
        }
        var kept = new LinkedHashSet<String>();
        for (var name : vary.split(",", -1)) {
            var member = name.strip().equalsIgnoreCase(VARIANT) ? "Cookie" : name.strip();
            if (!member.isEmpty() && !member.equalsIgnoreCase("surrogate-capability")) {
                kept.add(member);
            }
        }
        return String.join(", ", kept);
    }

    private static boolean mayHaveLength(int status) {
        return status >= 200 && status != 204 && status != 304;
    }

    /** Fields that the surrogate writes itself, or that never reach a reader. */
    static boolean isOurs(String lower) {
        return switch (lower) {
            case "age",
                    "connection",
                    "keep-alive",
                    "proxy-connection",
                    "transfer-encoding",
                    "content-length",
                    "te",
                    "trailer",
                    "upgrade",
                    "proxy-authenticate",
                    "proxy-authentication-info" ->
                    true;
            default -> lower.startsWith("surrogate-") || lower.equals(VARIANT);
        };
    }
}
