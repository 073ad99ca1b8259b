package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The file that names the tier of a directory. While it is absent, no later process uses the other
 * files. Thread-safe.
 */
final class TierFormat {
    private static final Reading INCOMPLETE =
            new Reading.Unknown("the process before could not complete its files");

    private static final String NAME = "format";
    private static final Reading DAMAGED =
            new Reading.Unknown("its file \"" + NAME + "\" is damaged");

    /** QUIRELOG. */
    private static final long MAGIC = 0x51554952_454c4f47L;

    private static final int BYTES = 32;
    private static final int VERSION_AT = 8;
    private static final int TIER_AT = 12;
    private static final int CHECK_AT = BYTES - Integer.BYTES;

    private final Path file;
    private final FileAccess access;

    private volatile boolean isRetired;

    TierFormat(Path directory, FileAccess access) {
        this.file = directory.resolve(NAME);
        this.access = access;
    }

    /** The content of the file. */
    sealed interface Reading {

        record Known(UUID tier) implements Reading {}

        /** In the words of operators. */
        record Unknown(String reason) implements Reading {}
    }

    Reading read() throws IOException {
        if (Checks.isSpecial(file)) {
            return DAMAGED;
        }
        ByteBuffer in;
        try {
            in = ByteBuffer.wrap(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return INCOMPLETE;
        }
        if (!in.hasRemaining()) {
            return INCOMPLETE;
        }
        if (in.remaining() != BYTES
                || in.getLong(0) != MAGIC
                || in.getInt(CHECK_AT) != Checks.check(in, 0, CHECK_AT, 0, 0)) {
            return DAMAGED;
        }
        if (in.getInt(VERSION_AT) != LogDirectory.VERSION) {
            return new Reading.Unknown("another version of Quire wrote its files");
        }
        return new Reading.Known(new UUID(in.getLong(TIER_AT), in.getLong(TIER_AT + Long.BYTES)));
    }

    /** Has no effect after {@link #retire}. */
    synchronized void write(UUID tier) throws IOException {
        if (isRetired) {
            return;
        }
        var out = ByteBuffer.allocate(BYTES);
        out.putLong(MAGIC).putInt(LogDirectory.VERSION);
        out.putLong(tier.getMostSignificantBits()).putLong(tier.getLeastSignificantBits());
        out.putInt(Checks.check(out, 0, CHECK_AT, 0, 0)).flip();
        try (var written = access.open(file)) {
            written.truncate(BYTES);
            Checks.writeFully(written, out, 0);
        }
    }

    /** Deletes it, or at least its content. */
    synchronized void delete() throws IOException {
        try {
            access.delete(file);
        } catch (IOException e) {
            try (var emptied = access.open(file)) {
                emptied.truncate(0);
                emptied.force(true);
            }
        }
    }

    /** Deletes it for good. */
    void retire() throws IOException {
        isRetired = true;
        delete();
    }
}
