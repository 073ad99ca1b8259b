package dev.quire.proxy.cache;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;

/** Reads bodies that are in files, as a channel sends them. */
final class InFiles {
    private InFiles() {}

    static String text(StoredResponse response, int from, int bytes) {
        var out = new ByteArrayOutputStream();
        var region = requireNonNull(response.file()).region(from, bytes);
        try {
            while (region.transferred() < region.count()) {
                region.transferTo(Channels.newChannel(out), region.transferred());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            region.release();
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}
