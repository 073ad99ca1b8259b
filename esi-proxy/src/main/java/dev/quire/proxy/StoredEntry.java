package dev.quire.proxy;

import dev.quire.proxy.cache.StoredResponse;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

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
 */
public record StoredEntry(
        String url, String selecting, String tags, String fields, String head, String body) {

    /** Whether {@code secret} stands anywhere in it. */
    public boolean contains(String secret) {
        return url.contains(secret)
                || selecting.contains(secret)
                || tags.contains(secret)
                || fields.contains(secret)
                || head.contains(secret)
                || body.contains(secret);
    }

    static StoredEntry of(StoredResponse response) {
        var fields = new StringBuilder();
        response.head()
                .fields()
                .forEach((name, value) ->
                        fields.append(name).append(": ").append(value).append('\n'));
        return new StoredEntry(
                response.key().url(),
                response.selecting().fields().toString(),
                String.join(" ", response.tags()),
                fields.toString(),
                text(response.headBytes()),
                text(response.body()));
    }

    private static String text(ByteBuf bytes) {
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }
}
