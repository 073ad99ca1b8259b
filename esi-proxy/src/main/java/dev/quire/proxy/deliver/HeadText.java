package dev.quire.proxy.deliver;

import dev.quire.core.assemble.PageAmendment;
import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheStatus;
import dev.quire.core.policy.ForwardedFields;
import dev.quire.core.policy.ResponseFields;
import dev.quire.core.policy.SignedVariant;
import dev.quire.core.policy.Via;
import dev.quire.proxy.cache.HeadBytes;
import dev.quire.proxy.cache.StoredHead;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.HeadLines;
import dev.quire.proxy.exchange.Http1Text;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Selects the field lines of a response that are sent to clients, and changes some. */
final class HeadText {

    /** The way a body is encoded, as far as it affects the head. */
    enum Coding {
        /** Unchanged, for all clients. */
        AS_IT_CAME(false, false),
        /** Unchanged for this client, but not for all. */
        AS_IT_CAME_HERE(true, false),
        /** Compressed by the proxy for this client. */
        GZIP(true, true),
        /** Decoded by the proxy for this client. */
        UNDONE(true, true),
        /** None: a 304 to a client whose copy was compressed. */
        WEAKENED(true, true),
        /** Unchanged, except for the stamps of its tags. */
        RESTAMPED(false, true);

        private final boolean depends;
        private final boolean changes;

        /**
         * @param depends whether the encoding depends on Accept-Encoding
         * @param changes whether the bytes differ from those received
         */
        Coding(boolean depends, boolean changes) {
            this.depends = depends;
            this.changes = changes;
        }

        /** The coding of {@code response}, which is not compressed by the proxy. */
        static Coding of(StoredResponse response) {
            return response.isDecoded() ? UNDONE : asItCame(response.isRecoded());
        }

        static Coding asItCame(boolean hereOnly) {
            return hereOnly ? AS_IT_CAME_HERE : AS_IT_CAME;
        }
    }

    private static final String VARIANT = SignedVariant.FIELD.toLowerCase(Locale.ROOT);
    private static final AsciiString CACHE_STATUS = AsciiString.cached("Cache-Status");
    private static final AsciiString HIT = AsciiString.cached(Via.PSEUDONYM + "; hit; ttl=");
    private static final AsciiString AGE = AsciiString.cached("Age");

    // Names of the lines of every page: in ASCII, since they are written each time.
    static final AsciiString DATE = AsciiString.cached("Date");
    static final AsciiString CACHE_CONTROL = AsciiString.cached("Cache-Control");
    static final AsciiString ETAG = AsciiString.cached("ETag");
    private static final AsciiString CONTENT_LENGTH = AsciiString.cached("Content-Length");

    private HeadText() {}

    /**
     * The preformatted head of a stored response; see {@link HeadBytes}.
     *
     * @param isCompressible whether its body, or the page assembled from it, may be sent in gzip
     */
    static StoredHead kept(
            ResponseHead head, int lengthBytes, boolean isPage, boolean isCompressible) {
        var coding = Coding.asItCame(isCompressible || ContentCoding.of(head.fields()).isCoded());
        var varies = head.fields().all("Vary");
        boolean isVaryAsItCame =
                !coding.depends && varies.stream().allMatch(line -> line.equals(forClients(line)));
        var others = new Fields.Builder();
        var out = ByteBufAllocator.DEFAULT.heapBuffer(512);
        var lines = new TextLines(out);
        try {
            Http1Text.status(out, head.status(), head.reason());
            int keptFrom = out.writerIndex();
            head.fields()
                    .forEach((name, value) -> {
                        var lower = name.toLowerCase(Locale.ROOT);
                        boolean isKept =
                                isSaid(lower, isPage) && (isVaryAsItCame || !lower.equals("vary"));
                        if (isKept) {
                            lines.line(name, value);
                        } else {
                            others.add(name, value);
                        }
                    });
            int keptTo = out.writerIndex();
            if (!isVaryAsItCame && !coding.depends) {
                varies.forEach(line -> vary(lines, forClients(line)));
            }
            ofStored(lines, head, lengthBytes, isPage, coding);
            int plainTo = out.writerIndex();
            others.build().forEach(lines::line);
            int othersTo = out.writerIndex();
            if (isCompressible) {
                Http1Text.status(out, head.status(), head.reason());
                stored(lines, head, lengthBytes, isPage, Coding.GZIP);
            }
            return new StoredHead(ByteBufUtil.getBytes(out), keptFrom, keptTo, plainTo, othersTo);
        } finally {
            out.release();
        }
    }

    /**
     * Writes the lines of a stored response that are the same in every response. The Date of a page
     * is not among them: it is set whenever the page is assembled.
     */
    static void stored(
            HeadLines out, ResponseHead head, int lengthBytes, boolean isPage, Coding coding) {
        head.fields()
                .forEach((name, value) -> {
                    var lower = name.toLowerCase(Locale.ROOT);
                    if (isSaid(lower, isPage)) {
                        line(out, name, lower, value, coding);
                    }
                });
        ofStored(out, head, lengthBytes, isPage, coding);
    }

    /** Writes the lines that are added to those of a stored response. */
    private static void ofStored(
            HeadLines out, ResponseHead head, int lengthBytes, boolean isPage, Coding coding) {
        ofCoding(out, head.fields().all("Vary"), coding);
        via(out);
        if (!isPage && coding != Coding.GZIP && mayHaveLength(head.status())) {
            contentLength(out, lengthBytes);
        }
    }

    /** Whether a stored line is sent to clients. */
    private static boolean isSaid(String lower, boolean isPage) {
        return ResponseFields.goesToClients(lower) && !(isPage && !isOfAPage(lower));
    }

    /** Writes the lines of a page that has modified its own response. */
    static void amended(HeadLines out, ResponseHead page, PageAmendment amendment, Coding coding) {
        page.fields()
                .forEach((name, value) -> {
                    var lower = name.toLowerCase(Locale.ROOT);
                    if (ResponseFields.goesToClients(lower)
                            && isOfAPage(lower)
                            && !amendment.replaces(lower)) {
                        line(out, name, lower, value, coding);
                    }
                });
        for (var field : amendment.fields()) {
            var lower = field.name().toLowerCase(Locale.ROOT);
            line(out, field.name(), lower, field.value(), coding);
        }
        ofCoding(out, varies(page, amendment), coding);
        via(out);
    }

    /**
     * Writes the head of a partial response (RFC 9110 §15.3.7), without its framing.
     *
     * @param contentType replaces the stored one; null to keep it
     */
    static void part(
            HeadLines out, ResponseHead stored, @Nullable String contentType, Coding coding) {
        stored.fields()
                .forEach((name, value) -> {
                    var lower = name.toLowerCase(Locale.ROOT);
                    boolean isReplaced = contentType != null && lower.equals("content-type");
                    if (ResponseFields.goesToClients(lower)
                            && !isReplaced
                            && !ResponseFields.isOfWhole(lower)) {
                        line(out, name, lower, value, coding);
                    }
                });
        ofCoding(out, stored.fields().all("Vary"), coding);
        if (contentType != null) {
            out.line("Content-Type", contentType);
        }
        via(out);
    }

    static void age(HeadLines out, long seconds) {
        out.line(AGE, "", seconds);
    }

    static void contentLength(HeadLines out, long bytes) {
        out.line(CONTENT_LENGTH, "", bytes);
    }

    /** Adds our member after those of the origin's side (RFC 9211 §2); nothing if it is null. */
    static void cacheStatus(HeadLines out, @Nullable CacheStatus status, long ttlSeconds) {
        if (status == null) {
            return;
        }
        if (status == CacheStatus.Hit.HIT) {
            out.line(CACHE_STATUS, HIT, ttlSeconds);
        } else {
            out.line(CACHE_STATUS, Via.PSEUDONYM + "; " + status.parameters(ttlSeconds));
        }
    }

    /** The Vary of a page, including the values it has added itself. */
    static List<String> varies(ResponseHead page, PageAmendment amendment) {
        var varies = new ArrayList<>(page.fields().all("Vary"));
        for (var field : amendment.fields()) {
            if (field.name().equalsIgnoreCase("Vary")) {
                varies.add(field.value());
            }
        }
        return varies;
    }

    /** Writes the head of a streamed response, without framing and without the empty line. */
    static void passing(HeadLines out, ResponseHead head, boolean isUnassembled, Coding coding) {
        ForwardedFields.forwardable(head.fields())
                .forEach((name, value) -> {
                    var lower = name.toLowerCase(Locale.ROOT);
                    if (lower.equals("age")) {
                        if (!isUnassembled) {
                            out.line(name, value);
                        }
                    } else if (ResponseFields.goesToClients(lower)
                            && !(isUnassembled && !ResponseFields.survivesAssembly(lower))) {
                        line(out, name, lower, value, coding);
                    }
                });
        ofCoding(out, head.fields().all("Vary"), coding);
        if (isUnassembled) {
            out.line("Cache-Control", "private, no-cache");
        }
        via(out);
    }

    /** Writes the origin's Surrogate-Control, which only surrogates receive. */
    static void surrogateControl(HeadLines out, ResponseHead head) {
        for (var value : head.fields().all("Surrogate-Control")) {
            out.line("Surrogate-Control", value);
        }
    }

    static void via(HeadLines out) {
        out.line("Via", Via.MEMBER);
    }

    /** Whether a response of this status has a Content-Length (RFC 9110 §8.6). */
    static boolean mayHaveLength(int status) {
        return status >= 200 && status != 204 && status != 304;
    }

    /** Writes a line as sent to clients, unless {@link #ofCoding} writes it. */
    static void line(HeadLines out, String name, String lower, String value, Coding coding) {
        if (lower.equals("vary")) {
            if (!coding.depends) {
                vary(out, forClients(value));
            }
        } else if (coding.changes && lower.equals("etag")) {
            out.line(name, weak(value));
        } else if (!(coding.changes && ResponseFields.isOfBytes(lower))) {
            out.line(name, value);
        }
    }

    /**
     * Writes the lines that depend on {@code coding}.
     *
     * @param varies the values of Vary, to which Accept-Encoding is added
     */
    static void ofCoding(HeadLines out, List<String> varies, Coding coding) {
        if (coding == Coding.GZIP) {
            out.line("Content-Encoding", "gzip");
        }
        varying(out, varies, coding);
    }

    /** Writes only Vary. */
    static void varying(HeadLines out, List<String> varies, Coding coding) {
        if (coding.depends) {
            var names = forClients(String.join(", ", varies));
            boolean isThere =
                    FieldList.split(names, ',').stream()
                            .anyMatch(name ->
                                    name.equalsIgnoreCase("accept-encoding") || name.equals("*"));
            vary(out, isThere ? names : names + (names.isEmpty() ? "" : ", ") + "Accept-Encoding");
        }
    }

    private static void vary(HeadLines out, String names) {
        if (!names.isEmpty()) {
            out.line("Vary", names);
        }
    }

    /** Weakens a tag, since the bytes differ from those it was made for (RFC 9110 §8.8.1). */
    private static String weak(String tag) {
        return tag.startsWith("W/") ? tag : "W/" + tag;
    }

    /**
     * Translates Vary for clients: {@code Surrogate-Capability} is constant for them, and the
     * variant of the reader is determined by cookies.
     */
    private static String forClients(String vary) {
        var lower = vary.toLowerCase(Locale.ROOT);
        if (!lower.contains("surrogate-capability") && !lower.contains(VARIANT)) {
            return vary;
        }
        var kept = new LinkedHashSet<String>();
        for (var name : vary.split(",", -1)) {
            var member = name.strip();
            if (member.equalsIgnoreCase(SignedVariant.FIELD)) {
                member = "Cookie";
            }
            if (!member.isEmpty() && !member.equalsIgnoreCase("surrogate-capability")) {
                kept.add(member);
            }
        }
        return String.join(", ", kept);
    }

    private static boolean isOfAPage(String lower) {
        return !lower.equals("date") && ResponseFields.survivesAssembly(lower);
    }

    /** Writes lines as they are stored. */
    private record TextLines(ByteBuf out) implements HeadLines {
        @Override
        public void line(CharSequence name, String value) {
            Http1Text.line(out, name, value);
        }

        @Override
        public void line(CharSequence name, CharSequence value, long number) {
            Http1Text.line(out, name, value, number);
        }
    }
}
