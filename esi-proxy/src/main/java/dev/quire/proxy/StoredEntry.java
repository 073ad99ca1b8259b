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
 * @param forms the other forms that are kept of its body; and, unzipped, what of body and forms is
 *     in gzip
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
                text(ByteBufUtil.getBytes(response.headBytes())),
                text(body),
                forms(body, response.forms()));
    }

    private static List<String> forms(byte[] body, List<byte[]> kept) {
        var forms = new ArrayList<String>();
        addUnzipped(body, forms);
        for (byte[] form : kept) {
            forms.add(text(form));
            addUnzipped(form, forms);
        }
        return forms;
    }

    /** What a broken stream had before its fault can be searched too. */
    private static void addUnzipped(byte[] bytes, List<String> forms) {
        if (bytes.length < 2 || bytes[0] != (byte) 0x1f || bytes[1] != (byte) 0x8b) {
            return;
        }
        var unzipped = new ByteArrayOutputStream();
        try (var gzip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            gzip.transferTo(unzipped);
        } catch (IOException e) {
            forms.add("no gzip to its end: " + e.getMessage());
        }
        forms.add(text(unzipped.toByteArray()));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
