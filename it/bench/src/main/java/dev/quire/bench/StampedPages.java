package dev.quire.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;

/** The beginnings of the pages of a news site, with stamped or plain tags. */
public final class StampedPages {
    static final int BYTES = 50 * 1024;

    private StampedPages() {}

    /** Returns pages whose tags have {@code stamp}. */
    public static List<byte[]> of(String stamp) {
        return cut(
                NewsPages.withTags().stream()
                        .map(page ->
                                new String(page, UTF_8)
                                        .replace("<esi:", "<esi:" + stamp + ":")
                                        .getBytes(UTF_8))
                        .toList());
    }

    /** Returns the same pages with plain tags. */
    static List<byte[]> plain() {
        return cut(NewsPages.withTags());
    }

    private static List<byte[]> cut(List<byte[]> pages) {
        return pages.stream().map(page -> Arrays.copyOf(page, BYTES)).toList();
    }
}
