package dev.quire.proxy.cache;

import dev.quire.core.http.Fields;
import dev.quire.proxy.exchange.HeadLines;
import dev.quire.proxy.exchange.HeadTemplate;
import dev.quire.proxy.exchange.Hpack;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The head of a stored response in one array: preformatted, and readable as {@link Fields}.
 * Immutable and thread-safe. Lines are parsed on each access, so properties needed by every hit are
 * computed when the response is stored.
 */
public final class StoredHead implements Fields, HeadTemplate {

    /*
     * The array contains, in order: the status line; the lines that are sent as received; the lines
     * that we add; the received lines that are not sent in this form; and the gzip variant of the
     * head, if there is one. All lines of one name are in the same section, so their order is
     * preserved. The array is on the heap, because it is copied behind other parts of the head; a
     * separate buffer would cost more than the length of most heads.
     */

    /** For responses without a preformatted head. */
    static final StoredHead NONE = new StoredHead(new byte[0], 0, 0, 0, 0);

    /** Where the status is in a status line. */
    private static final int STATUS_AT = "HTTP/1.1 ".length();

    /** After a name. */
    private static final int COLON_BYTES = 2;

    /** After a line. */
    private static final int END_BYTES = 2;

    private final byte[] text;

    /** Null until the first use of one. */
    private volatile @Nullable HpackForms hpack;

    private final int keptFrom;
    private final int keptTo;
    private final int plainTo;
    private final int othersTo;

    /**
     * Takes over {@code text}: the head to send, the other received lines, the gzip variant.
     *
     * @param keptFrom start of the lines that are sent as received
     * @param keptTo end of those lines
     * @param plainTo end of the head to send, and start of the other lines
     * @param othersTo end of the other lines and start of the gzip variant, if present
     */
    public StoredHead(byte[] text, int keptFrom, int keptTo, int plainTo, int othersTo) {
        if (keptFrom < 0
                || keptTo < keptFrom
                || plainTo < keptTo
                || othersTo < plainTo
                || text.length < othersTo) {
            throw new IllegalArgumentException(
                    "offsets must be ascending: "
                            + List.of(keptFrom, keptTo, plainTo, othersTo, text.length));
        }
        this.text = text;
        this.keptFrom = keptFrom;
        this.keptTo = keptTo;
        this.plainTo = plainTo;
        this.othersTo = othersTo;
    }

    @Override
    public int length(boolean inGzip) {
        return inGzip ? text.length - othersTo : plainTo;
    }

    @Override
    public void writeTo(ByteBuf out, boolean inGzip) {
        out.writeBytes(text, inGzip ? othersTo : 0, length(inGzip));
    }

    @Override
    public void writeTo(HeadLines lines, boolean inGzip) {
        int to = inGzip ? text.length : plainTo;
        for (int at = inGzip ? behind(othersTo) : keptFrom; at < to; at = behind(at)) {
            int colon = colon(at);
            lines.line(nameAt(at, colon), valueAt(colon));
        }
    }

    @Override
    public void writeHpackTo(ByteBuf out, boolean inGzip) {
        var forms = hpack;
        var kept = forms == null ? null : forms.form(inGzip);
        if (kept != null) {
            out.writeBytes(kept);
            return;
        }
        int start = out.writerIndex();
        Hpack.status(out, status(inGzip));
        writeTo(new HpackLines(out), inGzip);
        var made = ByteBufUtil.getBytes(out, start, out.writerIndex() - start);
        // A race costs one more array.
        hpack = HpackForms.with(forms, made, inGzip);
    }

    private int status(boolean inGzip) {
        int at = (inGzip ? othersTo : 0) + STATUS_AT;
        return (text[at] - '0') * 100 + (text[at + 1] - '0') * 10 + text[at + 2] - '0';
    }

    /** Whether it has grown since the last call, so that its response must be weighed anew. */
    boolean hasGrown() {
        var forms = hpack;
        if (forms == null || forms.isWeighed) {
            return false;
        }
        forms.isWeighed = true;
        return true;
    }

    /** The HPACK forms of the head to send and of its gzip variant; null before their first use. */
    private static final class HpackForms {
        private final byte @Nullable [] plain;
        private final byte @Nullable [] gzip;
        private volatile boolean isWeighed;

        private HpackForms(byte @Nullable [] plain, byte @Nullable [] gzip) {
            this.plain = plain;
            this.gzip = gzip;
        }

        static HpackForms with(@Nullable HpackForms before, byte[] made, boolean isGzip) {
            return isGzip
                    ? new HpackForms(before == null ? null : before.plain, made)
                    : new HpackForms(made, before == null ? null : before.gzip);
        }

        byte @Nullable [] form(boolean isGzip) {
            return isGzip ? gzip : plain;
        }

        long weightBytes() {
            return Footprint.HPACK_BYTES + weightBytes(plain) + weightBytes(gzip);
        }

        private static long weightBytes(byte @Nullable [] form) {
            return form == null ? 0 : Footprint.array(form.length);
        }
    }

    /** Writes lines as HPACK literals. */
    private record HpackLines(ByteBuf out) implements HeadLines {
        @Override
        public void line(CharSequence name, String value) {
            Hpack.line(out, name, value);
        }

        @Override
        public void line(CharSequence name, CharSequence value, long number) {
            Hpack.line(out, name, value, number);
        }
    }

    /** The size of its HPACK forms. */
    long hpackBytes() {
        var forms = hpack;
        return forms == null ? 0 : forms.weightBytes();
    }

    /** Whether there is a gzip variant: then all responses declare it in Vary. */
    public boolean isCompressible() {
        return othersTo < text.length;
    }

    int textBytes() {
        return text.length;
    }

    @Override
    public @Nullable String first(String name) {
        int at = find(name, keptFrom);
        return at < 0 ? null : valueAt(at + name.length());
    }

    @Override
    public boolean contains(String name) {
        return find(name, keptFrom) >= 0;
    }

    @Override
    public List<String> all(String name) {
        int at = find(name, keptFrom);
        if (at < 0) {
            return List.of();
        }
        var values = new ArrayList<String>(1);
        while (at >= 0) {
            values.add(valueAt(at + name.length()));
            at = find(name, next(at));
        }
        return values;
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        for (int at = keptFrom == keptTo ? plainTo : keptFrom; at < othersTo; at = next(at)) {
            int colon = colon(at);
            line.accept(nameAt(at, colon), valueAt(colon));
        }
    }

    /** The length of the received lines, with their ends. */
    int receivedBytes() {
        return keptTo - keptFrom + othersTo - plainTo;
    }

    /** Writes the received lines as they are stored, in the order of {@link #forEach}. */
    void writeReceivedTo(ByteBuf out) {
        out.writeBytes(text, keptFrom, keptTo - keptFrom);
        out.writeBytes(text, plainTo, othersTo - plainTo);
    }

    /** The start of the first line called {@code name} from the line at {@code from} on, or -1. */
    private int find(String name, int from) {
        for (int at = from == keptTo ? plainTo : from; at < othersTo; at = next(at)) {
            if (isCalled(name, at)) {
                return at;
            }
        }
        return -1;
    }

    private boolean isCalled(String name, int at) {
        int length = name.length();
        if (at + length >= othersTo || text[at + length] != ':') {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (lower(name.charAt(i)) != lower((char) (text[at + i] & 0xff))) {
                return false;
            }
        }
        return true;
    }

    /** Names are ASCII (RFC 9110 §5.1). */
    private static char lower(char c) {
        return c >= 'A' && c <= 'Z' ? (char) (c | 0x20) : c;
    }

    private int colon(int line) {
        int colon = line;
        while (text[colon] != ':') {
            colon++;
        }
        return colon;
    }

    private String nameAt(int line, int colon) {
        return new String(text, line, colon - line, StandardCharsets.ISO_8859_1);
    }

    private String valueAt(int colon) {
        int start = colon + COLON_BYTES;
        return new String(text, start, end(start) - start, StandardCharsets.ISO_8859_1);
    }

    /** The end of the line that contains {@code at}. */
    private int end(int at) {
        int end = at;
        while (text[end] != '\r' || text[end + 1] != '\n') {
            end++;
        }
        return end;
    }

    /** The start of the line after the one at {@code at}. */
    private int next(int at) {
        int next = behind(at);
        return next == keptTo ? plainTo : next;
    }

    private int behind(int at) {
        return end(at) + END_BYTES;
    }

    /** The whole text. */
    @Override
    public String toString() {
        return new String(text, StandardCharsets.ISO_8859_1);
    }
}
