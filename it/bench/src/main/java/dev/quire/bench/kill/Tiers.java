package dev.quire.bench.kill;

import java.util.List;

/** The memory of the disk tier's index. */
final class Tiers {
    private Tiers() {}

    /**
     * Returns lines about the memory of the index.
     *
     * @param grownBytes of the resident memory, compared with an empty tier
     */
    static List<String> index(KilledProxy proxy, int objects, long grownBytes) {
        return List.of(
                "resident memory       %7.1f bytes an object more than with an empty tier"
                        .formatted((double) grownBytes / objects));
    }
}
