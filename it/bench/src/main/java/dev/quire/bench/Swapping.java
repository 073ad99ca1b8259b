package dev.quire.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.spring.internal.stamp.Placeholder;
import dev.quire.spring.internal.stamp.StampSwap;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * Replaces the placeholder with the surrogate's stamp, as the application does when it writes a
 * page. One operation is a page. In this package because the swap is package-private.
 */
public class Swapping extends PageBenchmark {
    private static final String PLACEHOLDER = "k3V_x0pQeRz-7LmWbT5uYg";
    private static final byte[] STAMP = "Zt9-Qw4RfUoB1cXn_Hs2Ea".getBytes(ISO_8859_1);

    /** The write size of an application's writer. */
    private static final int PIECE_BYTES = 8192;

    private final List<byte[]> pages = StampedPages.of(PLACEHOLDER);
    private final Placeholder.Finder finder =
            new Placeholder.Finder(PLACEHOLDER.getBytes(ISO_8859_1));
    private final Taken taken = new Taken();
    private int turn;

    /** A page written at once. */
    @Benchmark
    public long swapWhole() throws IOException {
        return swapped(next(), Integer.MAX_VALUE);
    }

    /** The same in pieces of 8 KiB. */
    @Benchmark
    public long swapPieces() throws IOException {
        return swapped(next(), PIECE_BYTES);
    }

    private long swapped(byte[] page, int most) throws IOException {
        var swap = new StampSwap(finder, STAMP);
        for (int at = 0; at < page.length; ) {
            int many = Math.min(most, page.length - at);
            swap.write(page, at, many, taken);
            at += many;
        }
        swap.finish(taken);
        return taken.bytes;
    }

    private byte[] next() {
        turn = (turn + 1) % pages.size();
        return pages.get(turn);
    }

    /**
     * Counts bytes in place of a container's stream, whose copy is needed with or without stamps.
     */
    private static final class Taken extends OutputStream {
        private long bytes;

        @Override
        public void write(int value) {
            bytes++;
        }

        @Override
        public void write(byte[] from, int offset, int length) {
            bytes += length + from[offset];
        }
    }
}
