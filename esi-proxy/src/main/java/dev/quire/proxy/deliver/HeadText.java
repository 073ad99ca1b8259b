package dev.quire.proxy.deliver;

import dev.quire.core.assemble.PageAmendment;
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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Response heads as HTTP/1.1 text (RFC 9112 §4, §5). */
final class HeadText {

    /** How a body is sent, as far as its head tells. */
    enum Coding {
        /** As it came, to everybody. */
        AS_IT_CAME(false, false),
        /** As it came, but to others otherwise. */
        AS_IT_CAME_HERE(true, false),
        /** We have compressed it for this client. */
        GZIP(true, true),
        /** We have undone its coding for this client. */
        UNDONE(true, true),
        /** As it came, but for the stamps of its tags. */
        RESTAMPED(false, true);

        private final boolean depends;
        private final boolean changes;

        /**
         * @param depends whether Accept-Encoding picks what is sent
         * @param changes whether the bytes are other ones than those that came
         */
        Coding(boolean depends, boolean changes) {
            this.depends = depends;
            this.changes = changes;
        }

        static Coding asItCame(boolean hereOnly) {
            return hereOnly ? AS_IT_CAME_HERE : AS_IT_CAME;
        }
    }

    private static final String VARIANT = SignedVariant.FIELD.toLowerCase(Locale.ROOT);
    private static final AsciiString VIA = AsciiString.cached("Via: " + Via.MEMBER + "\r\n");
    private static final int CR_LF = '\r' << Byte.SIZE | '\n';

    private static final AsciiString CACHE_STATUS =
            AsciiString.cached("Cache-Status: " + Via.PSEUDONYM + "; ");
    private static final AsciiString HIT = AsciiString.cached(CACHE_STATUS + "hit; ttl=");
    private static final AsciiString AGE = AsciiString.cached("Age: ");

    // Of the lines that every page has: ready, since they are written each time.
    static final AsciiString DATE = AsciiString.cached("Date: ");
    static final AsciiString CACHE_CONTROL = AsciiString.cached("Cache-Control: ");
    static final AsciiString ETAG = AsciiString.cached("ETag: ");
    private static final AsciiString CONTENT_LENGTH = AsciiString.cached("Content-Length: ");

    private HeadText() {}

    /**
     * The head of a stored response as it is kept; see {@link HeadBytes}.
     *
     * @param isCompressible whether its body, or the page made of it, may leave in gzip
     */
    static StoredHead kept(
            ResponseHead head, int lengthBytes, boolean isPage, boolean isCompressible) {
        var coding = Coding.asItCame(isCompressible);
        var varies = head.fields().all("Vary");
        boolean isVaryAsItCame =
                !coding.depends && varies.stream().allMatch(line -> line.equals(forClients(line)));
        var others = new Fields.Builder();
        var out = ByteBufAllocator.DEFAULT.heapBuffer(512);
        try {
            status(out, head);
            int keptFrom = out.writerIndex();
            head.fields()
                    .forEach((name, value) -> {
                        var lower = name.toLowerCase(Locale.ROOT);
                        boolean isKept =
                                isSaid(lower, isPage) && (isVaryAsItCame || !lower.equals("vary"));
                        if (isKept) {
                            line(out, name, value);
                        } else {
                            others.add(name, value);
                        }
                    });
            int keptTo = out.writerIndex();
            if (!isVaryAsItCame && !coding.depends) {
                varies.forEach(line -> vary(out, forClients(line)));
            }
            ofStored(out, head, lengthBytes, isPage, coding);
            int plainTo = out.writerIndex();
            others.build().forEach((name, value) -> line(out, name, value));
            int othersTo = out.writerIndex();
            if (isCompressible) {
                stored(out, head, lengthBytes, isPage, Coding.GZIP);
            }
            return new StoredHead(ByteBufUtil.getBytes(out), keptFrom, keptTo, plainTo, othersTo);
        } finally {
            out.release();
        }
    }

    /**
     * Writes the lines of a stored response that are the same in every answer. What is assembled is
     * made anew each time, so a page's own Date is none of them.
     */
    static void stored(
            ByteBuf out, ResponseHead head, int lengthBytes, boolean isPage, Coding coding) {
        status(out, head);
        head.fields()
                .forEach((name, value) -> {
                    var lower = name.toLowerCase(Locale.ROOT);
                    if (isSaid(lower, isPage)) {
                        line(out, name, lower, value, coding);
                    }
                });
        ofStored(out, head, lengthBytes, isPage, coding);
    }

    /** What is said of a stored response besides the lines it came with. */
    private static void ofStored(
            ByteBuf out, ResponseHead head, int lengthBytes, boolean isPage, Coding coding) {
        ofCoding(out, head.fields().all("Vary"), coding);
        via(out);
        if (!isPage && coding != Coding.GZIP && mayHaveLength(head.status())) {
            line(out, "Content-Length", Integer.toString(lengthBytes));
        }
    }

    /** Whether a stored line goes on to clients. */
    private static boolean isSaid(String lower, boolean isPage) {
        return ResponseFields.goesToClients(lower) && !(isPage && !isOfAPage(lower));
    }

    /** The same of a page that has changed its own answer. */
    static void amended(ByteBuf out, ResponseHead page, PageAmendment amendment, Coding coding) {
        if (amendment.status() == 0 || amendment.status() == page.status()) {
            status(out, page);
        } else {
            status(out, amendment.status());
        }
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
     * The head of a part of what is stored (RFC 9110 §15.3.7), without its framing.
     *
     * @param contentType in place of the stored one, or null
     */
    static void part(
            ByteBuf out, ResponseHead stored, @Nullable String contentType, Coding coding) {
        status(out, 206);
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
            line(out, "Content-Type", contentType);
        }
        via(out);
    }

    static void age(ByteBuf out, long seconds) {
        out.writeCharSequence(AGE, StandardCharsets.US_ASCII);
        number(out, seconds);
        end(out);
    }

    /** Our member behind those of the origin's side (RFC 9211 §2); nothing for a null status. */
    static void cacheStatus(ByteBuf out, @Nullable CacheStatus status, long ttlSeconds) {
        if (status == null) {
            return;
        }
        if (status == CacheStatus.Hit.HIT) {
            out.writeCharSequence(HIT, StandardCharsets.US_ASCII);
            number(out, ttlSeconds);
        } else {
            out.writeCharSequence(CACHE_STATUS, StandardCharsets.US_ASCII);
            ByteBufUtil.writeAscii(out, status.parameters(ttlSeconds));
        }
        end(out);
    }

    /** Without a text in between: every hit has two of them. */
    private static void number(ByteBuf out, long value) {
        if (value < 0) {
            out.writeByte('-');
        }
        int digits = 1;
        for (long rest = value / 10; rest != 0; rest /= 10) {
            digits++;
        }
        int start = out.writerIndex();
        out.writeZero(digits);
        long rest = value;
        for (int at = start + digits - 1; at >= start; at--) {
            out.setByte(at, '0' + (int) Math.abs(rest % 10));
            rest /= 10;
        }
    }

    /** The Vary of a page and of what it has added itself. */
    static List<String> varies(ResponseHead page, PageAmendment amendment) {
        var varies = new ArrayList<>(page.fields().all("Vary"));
        for (var field : amendment.fields()) {
            if (field.name().equalsIgnoreCase("Vary")) {
                varies.add(field.value());
            }
        }
        return varies;
    }

    /** A head as it flows past, without framing and without its empty line. */
    static void passing(ByteBuf out, ResponseHead head, boolean isUnassembled, Coding coding) {
        status(out, head);
        ForwardedFields.forwardable(head.fields())
                .forEach((name, value) -> {
                    var lower = name.toLowerCase(Locale.ROOT);
                    if (lower.equals("age")) {
                        if (!isUnassembled) {
                            line(out, name, value);
                        }
                    } else if (ResponseFields.goesToClients(lower)
                            && !(isUnassembled && !ResponseFields.survivesAssembly(lower))) {
                        line(out, name, lower, value, coding);
                    }
                });
        ofCoding(out, head.fields().all("Vary"), coding);
        if (isUnassembled) {
            line(out, "Cache-Control", "private, no-cache");
        }
        via(out);
    }

    /** What an origin says to surrogates; only one of them may hear it. */
    static void surrogateControl(ByteBuf out, ResponseHead head) {
        for (var value : head.fields().all("Surrogate-Control")) {
            line(out, "Surrogate-Control", value);
        }
    }

    static void via(ByteBuf out) {
        out.writeCharSequence(VIA, StandardCharsets.US_ASCII);
    }

    /** As the origin said it, a reason phrase that is empty included (RFC 9112 §4). */
    static void status(ByteBuf out, ResponseHead head) {
        status(out, head.status(), head.reason());
    }

    /** One that we say ourselves. */
    static void status(ByteBuf out, int code) {
        status(out, code, HttpResponseStatus.valueOf(code).reasonPhrase());
    }

    static void status(ByteBuf out, int code, String reason) {
        ByteBufUtil.writeAscii(out, "HTTP/1.1 ");
        ByteBufUtil.writeAscii(out, Integer.toString(code));
        out.writeByte(' ');
        out.writeCharSequence(reason, StandardCharsets.ISO_8859_1);
        end(out);
    }

    static void line(ByteBuf out, String name, String value) {
        ByteBufUtil.writeAscii(out, name);
        out.writeByte(':').writeByte(' ');
        out.writeCharSequence(value, StandardCharsets.ISO_8859_1);
        end(out);
    }

    /**
     * A line of visible ASCII characters.
     *
     * @param name with its colon and space
     */
    static void line(ByteBuf out, AsciiString name, String value) {
        ByteBufUtil.copy(name, out);
        ByteBufUtil.writeAscii(out, value);
        end(out);
    }

    static void contentLength(ByteBuf out, long bytes) {
        ByteBufUtil.copy(CONTENT_LENGTH, out);
        number(out, bytes);
        end(out);
    }

    static void end(ByteBuf out) {
        out.writeShort(CR_LF);
    }

    /** Whether a response of this status has a Content-Length (RFC 9110 §8.6). */
    static boolean mayHaveLength(int status) {
        return status >= 200 && status != 204 && status != 304;
    }

    /** A line as it goes on to a client, unless {@link #ofCoding} is to write it. */
    static void line(ByteBuf out, String name, String lower, String value, Coding coding) {
        if (lower.equals("vary")) {
            if (!coding.depends) {
                vary(out, forClients(value));
            }
        } else if (coding.changes && lower.equals("etag")) {
            line(out, name, weak(value));
        } else if (!(coding.changes && ResponseFields.isOfBytes(lower))) {
            line(out, name, value);
        }
    }

    /**
     * What is said besides of a body that is sent by {@code coding}.
     *
     * @param varies the lines of Vary, to which Accept-Encoding is added
     */
    static void ofCoding(ByteBuf out, List<String> varies, Coding coding) {
        if (coding == Coding.GZIP) {
            line(out, "Content-Encoding", "gzip");
        }
        varying(out, varies, coding);
    }

    /** The Vary of it alone. */
    static void varying(ByteBuf out, List<String> varies, Coding coding) {
        if (coding.depends) {
            var names = forClients(String.join(", ", varies));
            boolean isThere =
                    FieldList.split(names, ',').stream()
                            .anyMatch(name ->
                                    name.equalsIgnoreCase("accept-encoding") || name.equals("*"));
            vary(out, isThere ? names : names + (names.isEmpty() ? "" : ", ") + "Accept-Encoding");
        }
    }

    private static void vary(ByteBuf out, String names) {
        if (!names.isEmpty()) {
            line(out, "Vary", names);
        }
    }

    /** What is said of other bytes than those the tag was made for (RFC 9110 §8.8.1). */
    private static String weak(String tag) {
        return tag.startsWith("W/") ? tag : "W/" + tag;
    }

    /**
     * What Vary means for clients: {@code Surrogate-Capability} is constant for them, and the
     * variant of the reader is what his cookies say.
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
}
