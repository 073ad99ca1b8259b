package dev.quire.bench.kill;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.SplittableRandom;

/**
 * A process that writes, removes and bans records in several tiers until it is killed. Reports what
 * must hold after that, a {@link TierReport} on a line of the standard output.
 */
final class TierChild {
    private static final int MOST_FILLING = 4_000;
    private static final int OPERATIONS = 10;

    private final OutputStream out;
    private final int number;
    private final CheckedTier tier;
    private final SplittableRandom random;
    private long version;

    private TierChild(
            OutputStream out, int number, CheckedTier tier, long version, SplittableRandom random) {
        this.out = out;
        this.number = number;
        this.tier = tier;
        this.version = version;
        this.random = random;
    }

    /**
     * Takes the directory of all tiers, their number, the seed, and the version after which those
     * of this process begin.
     */
    public static void main(String[] arguments) throws IOException {
        var random = new SplittableRandom(Long.parseLong(arguments[2]));
        // Each line is one write, so that a killed process has reported whole lines.
        var out = new FileOutputStream(FileDescriptor.out);
        var children = new ArrayList<TierChild>();
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            children.add(
                    new TierChild(
                            out,
                            i,
                            new CheckedTier(Path.of(arguments[0], Integer.toString(i))),
                            Long.parseLong(arguments[3]),
                            random.split()));
        }
        out.write((TierReport.READY + "\n").getBytes(US_ASCII));
        for (var child : children) {
            Thread.ofPlatform().name("tier-" + child.number).start(child::run);
        }
        // Ends at the latest with the process that waits for it.
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    private void run() {
        try {
            while (true) {
                step();
            }
        } catch (IOException e) {
            System.exit(1);
        }
    }

    private void step() throws IOException {
        int record = random.nextInt(CheckedTier.RECORDS);
        switch (random.nextInt(OPERATIONS)) {
            case 0 -> {
                long before = version;
                if (tier.ban(record)) {
                    report(new TierReport(number, TierReport.Kind.BANNED, record, before));
                }
            }
            case 1 -> {
                tier.remove(record);
                report(new TierReport(number, TierReport.Kind.REMOVED, record, version));
            }
            default -> tier.append(record, ++version, random.nextInt(MOST_FILLING));
        }
    }

    private void report(TierReport report) throws IOException {
        out.write((report.line() + "\n").getBytes(US_ASCII));
    }
}
