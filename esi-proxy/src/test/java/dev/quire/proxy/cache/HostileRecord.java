package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.CompiledPageBytes;
import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.policy.SelectingFields;
import dev.quire.proxy.cache.RecordCodec.Found;
import dev.quire.proxy.cache.RecordHeader.Valid;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Reads bytes that no writer has written, but with the right checksums and hashes. */
final class HostileRecord {
    private static final int KEY_AT = 8;
    private static final int VARIANT_AT = 24;
    private static final int POSITION_AT = 40;
    private static final int LENGTHS_AT = 112;
    private static final int PLAN_HEADER_BYTES = 16;

    private HostileRecord() {}

    /** Fails unless {@code data} is refused, or is the record of a response without harm. */
    static void run(byte[] data) {
        read(data);
        if (data.length >= RecordHeader.BYTES + 2 * RecordHeader.CHECK_BYTES) {
            read(forged(data));
        }
    }

    private static void read(byte[] data) {
        var records = new Records();
        if (!(records.read(data, Fields.EMPTY)
                instanceof Found(var response, var bodyAt, var bytes))) {
            return;
        }
        try {
            response.head()
                    .fields()
                    .forEach((name, value) ->
                            assertThat(FieldSyntax.isToken(name) && FieldSyntax.isValue(value))
                                    .isTrue());
            assertThat(response.text().toString().lines().skip(1))
                    .allMatch(line ->
                            FieldSyntax.isToken(line.split(":", -1)[0])
                                    || line.startsWith("HTTP/1.1 "));
            assertThat(response.weightBytes()).isLessThan((1 << 22) + 256L * data.length);
            var again = records.found(records.written(response), Fields.EMPTY);
            Records.assertSame(again, response);
            again.release();
        } finally {
            response.release();
        }
    }

    private static byte[] forged(byte[] data) {
        var key = Records.key().hash();
        var bytes = data.clone();
        var fixed = ByteBuffer.wrap(bytes);
        fixed.putInt(0, RecordHeader.MAGIC).putShort(4, (short) RecordHeader.SCHEMA);
        fixed.putLong(KEY_AT, key.high()).putLong(KEY_AT + 8, key.low());
        fixed.putLong(POSITION_AT, Records.POSITION.epoch());
        int rest = data.length - RecordHeader.BYTES - 2 * RecordHeader.CHECK_BYTES;
        int metaBytes = Math.floorMod(fixed.getInt(LENGTHS_AT), rest + 1);
        var header = Unpooled.wrappedBuffer(bytes, 0, RecordHeader.BYTES);
        var values = Unpooled.wrappedBuffer(bytes, RecordHeader.BYTES, metaBytes);
        var body =
                Unpooled.wrappedBuffer(
                        bytes,
                        RecordHeader.BYTES + metaBytes + RecordHeader.CHECK_BYTES,
                        rest - metaBytes);
        header.setInt(LENGTHS_AT + 4, body.readableBytes());
        check(header);
        if (RecordHeader.read(header) instanceof Valid(var valid)) {
            values = amended(values, valid, header);
        }
        header.setInt(LENGTHS_AT, values.readableBytes());
        int check = check(header);
        return ByteBufUtil.getBytes(
                Unpooled.wrappedBuffer(
                        header,
                        values,
                        Unpooled.copyInt(RecordHeader.check(values, check)),
                        body,
                        Unpooled.copyInt(RecordHeader.check(body, check))));
    }

    /** With the variant of a request without fields, and with a plan of this version. */
    private static ByteBuf amended(ByteBuf values, RecordHeader header, ByteBuf fixed) {
        try {
            var meta = RecordMeta.read(values.duplicate(), header);
            var selecting = SelectingFields.of(meta.selecting(), Fields.EMPTY);
            var variant = RecordHash.of(selecting, header.key());
            fixed.setLong(VARIANT_AT, variant.high()).setLong(VARIANT_AT + 8, variant.low());
            if (meta.plan() == null || meta.plan().length <= PLAN_HEADER_BYTES + 4) {
                return values;
            }
            var judged = new StampTrust(header.stampStatus(), null);
            var rules =
                    Records.RULES.parsing().documents().compiling(meta.head(), judged.tagsOfText());
            var empty =
                    CompiledPage.of(new EsiParser(rules.reading()).finish(), Records.KEY, rules);
            var plan = ByteBuffer.wrap(meta.plan());
            plan.put(0, CompiledPageBytes.write(empty), 0, PLAN_HEADER_BYTES);
            int end = plan.capacity() - Integer.BYTES;
            var check = new CRC32C();
            check.update(plan.array(), 0, end);
            plan.putInt(end, (int) check.getValue());
            return meta.written();
        } catch (IllegalArgumentException malformed) {
            return values;
        }
    }

    private static int check(ByteBuf header) {
        int covered = RecordHeader.BYTES - RecordHeader.CHECK_BYTES;
        int check = RecordHeader.check(header.slice(0, covered), RecordHeader.MAGIC);
        header.setInt(covered, check);
        return check;
    }
}
