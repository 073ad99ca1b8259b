package dev.quire.proxy;

import dev.quire.core.http.ContentCoding;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.gzip.BodyDecoder;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/**
 * A copy of one stored response as it is in memory. Bytes are decoded as ISO 8859-1, so that every
 * byte can be searched.
 *
 * @param url the URL of its cache key
 * @param selecting the request fields that select this variant
 * @param tags the tags by which it can be purged
 * @param fields its head as received
 * @param head its head as written to clients
 * @param body its body
 * @param forms the other stored forms of the body, and the inflated content of all compressed bytes
 */
public record StoredEntry(
        String url,
        String selecting,
        String tags,
        String fields,
        String head,
        String body,
        List<String> forms) {

    public StoredEntry {
        forms = List.copyOf(forms);
    }

    public boolean contains(String secret) {
        return url.contains(secret)
                || selecting.contains(secret)
                || tags.contains(secret)
                || fields.contains(secret)
                || head.contains(secret)
                || body.contains(secret)
                || forms.stream().anyMatch(form -> form.contains(secret));
    }

    static StoredEntry of(StoredResponse response) {
        var fields = new StringBuilder();
        response.head()
                .fields()
                .forEach((name, value) ->
                        fields.append(name).append(": ").append(value).append('\n'));
        byte[] body = ByteBufUtil.getBytes(response.body());
        return new StoredEntry(
                response.key().url(),
                response.selecting().fields().toString(),
                String.join(" ", response.tags()),
                fields.toString(),
                response.text().toString(),
                text(body),
                forms(body, response));
    }

    private static List<String> forms(byte[] body, StoredResponse response) {
        var forms = new ArrayList<String>();
        addUnzipped(body, forms);
        if (response.coding() == ContentCoding.BROTLI) {
            addDecoded(body, forms);
        }
        for (byte[] form : response.forms()) {
            forms.add(text(form));
            addUnzipped(form, forms);
        }
        var inflater = new Inflater(true);
        for (byte[] blocks : response.compressed()) {
            forms.add(text(blocks));
            addInflated(new InflaterInputStream(stream(blocks), inflater), forms);
            inflater.reset();
        }
        inflater.end();
        return forms;
    }

    private static void addUnzipped(byte[] bytes, List<String> forms) {
        if (bytes.length < 2 || bytes[0] != (byte) 0x1f || bytes[1] != (byte) 0x8b) {
            return;
        }
        try {
            addInflated(new GZIPInputStream(stream(bytes)), forms);
        } catch (IOException e) {
            forms.add("not gzip: " + e.getMessage());
        }
    }

    /** Includes the bytes before an error. */
    private static void addDecoded(byte[] coded, List<String> forms) {
        var decoder = BodyDecoder.of(ContentCoding.BROTLI);
        if (decoder == null) {
            return;
        }
        var plain = new ByteArrayOutputStream();
        BodyDecoder.Target target =
                part -> {
                    plain.writeBytes(ByteBufUtil.getBytes(part));
                    return null;
                };
        var failure = decoder.add(Unpooled.wrappedBuffer(coded), target);
        if (failure == null) {
            failure = decoder.end(target);
        }
        if (failure != null) {
            forms.add(failure.toString());
        }
        decoder.discard();
        forms.add(text(plain.toByteArray()));
    }

    /** Includes the bytes before an error or a missing end of the stream. */
    private static void addInflated(InflaterInputStream stream, List<String> forms) {
        var inflated = new ByteArrayOutputStream();
        try (stream) {
            stream.transferTo(inflated);
        } catch (IOException e) {
            forms.add("truncated or malformed: " + e.getMessage());
        }
        forms.add(text(inflated.toByteArray()));
    }

    private static ByteArrayInputStream stream(byte[] bytes) {
        return new ByteArrayInputStream(bytes);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
