package dev.quire.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;

/** The beginning of each page of a news site, its tags stamped or not. */
public final class StampedPages {
    static final int BYTES = 50 * 1024;

    private StampedPages() {}

    /** Pages whose tags bear {@code stamp}. */
    public static List<byte[]> of(String stamp) {
        return cut(
                NewsPages.withTags().stream()
                        .map(page ->
                                new String(page, UTF_8)
                                        .replace("<esi:", "<esi:" + stamp + ":")
                                        .getBytes(UTF_8))
                        .toList());
    }

    /** The same with plain tags. */
    static List<byte[]> plain() {
        return cut(NewsPages.withTags());
    }

    private static List<byte[]> cut(List<byte[]> pages) {
        return pages.stream().map(page -> Arrays.copyOf(page, BYTES)).toList();
    }
}
