package dev.quire.proxy.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.assemble.CompiledPageBytes;
import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.StampStatus;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The part of a record between its header and its body.
 *
 * @param scheme of the key, as its authority and target
 * @param head as stored, without the lines that we add
 * @param selecting the names of the selecting fields
 * @param replaced by response rules; null if these have not changed the head
 * @param source the unprocessed document; null if it is not stored
 * @param stamp of the tags of the source; null if it has no stamps
 * @param plan the compiled document; null if it is not a document
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RecordMeta(
        String scheme,
        String authority,
        String target,
        ResponseHead head,
        List<String> selecting,
        @Nullable ReplacedLines replaced,
        byte @Nullable [] source,
        @Nullable Stamp stamp,
        byte @Nullable [] plan) {

    private static final int FIRST_STATUS = 200;
    private static final int LAST_STATUS = 999;
    private static final String END = "\r\n";
    private static final String COLON = ": ";
    private static final String COMMA = ",";

    static RecordMeta of(StoredResponse response) {
        var key = response.key();
        var source = response.source();
        var compiled = response.compiled();
        return new RecordMeta(
                key.scheme().text(),
                key.authority(),
                key.target(),
                response.head(),
                response.selecting().names(),
                response.content().replaced(),
                source == null ? null : ByteBufUtil.getBytes(source),
                source == null ? null : response.content().judged().stamp(),
                compiled == null ? null : CompiledPageBytes.write(compiled));
    }

    /** Whether it is of {@code key}, as far as it has the key. */
    boolean isOf(CacheKey key) {
        return scheme.equals(key.scheme().text())
                && authority.equals(key.authority())
                && target.equals(key.target());
    }

    /**
     * Returns its key without values of rules.
     *
     * @throws IllegalArgumentException if it is malformed
     */
    CacheKey ofUrl() {
        for (var each : Scheme.values()) {
            if (each.text().equals(scheme)) {
                return new CacheKey(each, authority, target);
            }
        }
        throw new IllegalArgumentException("malformed");
    }

    ByteBuf written() {
        var out = Unpooled.buffer();
        write(scheme, out);
        write(authority, out);
        write(target, out);
        out.writeShort(head.status());
        write(head.reason(), out);
        write(head.fields(), out);
        write(selecting, out);
        if (replaced != null) {
            write(replaced.names(), out);
            write(replaced.received(), out);
        }
        if (source != null) {
            write(stamp == null ? "" : stamp.text(), out);
            write(source, out);
        }
        if (plan != null) {
            write(plan, out);
        }
        return out;
    }

    private static void write(Fields fields, ByteBuf out) {
        if (fields instanceof StoredHead stored) {
            out.writeInt(stored.receivedBytes());
            stored.writeReceivedTo(out);
            return;
        }
        var lines = new StringBuilder();
        fields.forEach((name, value) -> lines.append(name).append(COLON).append(value).append(END));
        write(lines.toString(), out);
    }

    private static void write(List<String> names, ByteBuf out) {
        write(String.join(COMMA, names), out);
    }

    private static void write(String text, ByteBuf out) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 0xff) {
                throw new IllegalArgumentException("not ISO 8859-1: " + text);
            }
        }
        write(text.getBytes(ISO_8859_1), out);
    }

    private static void write(byte[] bytes, ByteBuf out) {
        out.writeInt(bytes.length).writeBytes(bytes);
    }

    /**
     * Reads it from {@code in}, all of it. Nothing that could not be the head of a response is
     * read, so that forged bytes add no line to one.
     *
     * @throws IllegalArgumentException if the values contradict each other or the header
     */
    static RecordMeta read(ByteBuf in, RecordHeader header) {
        var scheme = text(in);
        var authority = text(in);
        var target = text(in);
        require(in.readableBytes() >= Short.BYTES);
        int status = in.readUnsignedShort();
        require(status >= FIRST_STATUS && status <= LAST_STATUS);
        var reason = text(in);
        require(FieldSyntax.isValue(reason));
        var head = new ResponseHead(status, reason, fields(in));
        var selecting = names(in);
        require(selecting.stream().allMatch(name -> name.equals(name.toLowerCase(Locale.ROOT))));
        var replaced = header.isRuled() ? new ReplacedLines(names(in), fields(in)) : null;
        boolean hasSource = header.hasSource();
        var stamp = hasSource ? text(in) : "";
        require(stamp.isEmpty() || header.stampStatus() == StampStatus.STAMPED);
        var meta =
                new RecordMeta(
                        scheme,
                        authority,
                        target,
                        head,
                        selecting,
                        replaced,
                        hasSource ? bytes(in) : null,
                        stamp.isEmpty() ? null : new Stamp(stamp),
                        header.isDocument() ? bytes(in) : null);
        require(!in.isReadable());
        return meta;
    }

    private static Fields fields(ByteBuf in) {
        var lines = text(in);
        var fields = new Fields.Builder();
        int at = 0;
        while (at < lines.length()) {
            int end = lines.indexOf(END, at);
            int colon = lines.indexOf(COLON, at);
            require(colon >= 0 && end >= colon + COLON.length());
            var name = lines.substring(at, colon);
            var value = lines.substring(colon + COLON.length(), end);
            require(FieldSyntax.isToken(name) && FieldSyntax.isValue(value));
            fields.add(StoredContent.shared(name), value);
            at = end + END.length();
        }
        return fields.build();
    }

    private static List<String> names(ByteBuf in) {
        var text = text(in);
        var names = text.isEmpty() ? List.<String>of() : List.of(text.split(COMMA, -1));
        require(names.stream().allMatch(FieldSyntax::isToken));
        return names;
    }

    private static String text(ByteBuf in) {
        return new String(bytes(in), ISO_8859_1);
    }

    private static byte[] bytes(ByteBuf in) {
        require(in.readableBytes() >= Integer.BYTES);
        int length = in.readInt();
        require(length >= 0 && length <= in.readableBytes());
        var bytes = new byte[length];
        in.readBytes(bytes);
        return bytes;
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new IllegalArgumentException("malformed");
        }
    }
}
