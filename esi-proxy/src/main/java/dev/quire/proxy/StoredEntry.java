package dev.quire.proxy;

import dev.quire.proxy.cache.StoredResponse;
import io.netty.buffer.ByteBufUtil;
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
 * One stored response as it lies in the proxy's memory; bytes are read as ISO 8859-1, so that every
 * byte can be searched.
 *
 * @param url its key
 * @param selecting the fields of requests that this variant answers
 * @param tags what purges can call it by
 * @param fields its head as it was received
 * @param head its head as it is written
 * @param body its body
 * @param forms the other forms that are kept of its body; and, inflated, what is kept compressed of
 *     body and forms, or came so
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

    /** Whether {@code secret} stands anywhere in it. */
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

    /** What a stream has in front of a fault, or of its missing end, can be searched too. */
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
