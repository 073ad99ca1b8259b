package dev.quire.proxy.tls;

import java.nio.file.Path;

/** A file of a certificate or a key that cannot be used. No message contains text of the file. */
public final class UnusableFile extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Path file;
    private final String what;
    private final String expected;

    UnusableFile(Path file, String what, String expected) {
        super(file + " " + what + " (expected " + expected + ")");
        this.file = file;
        this.what = file + " " + what;
        this.expected = expected;
    }

    /** Whether {@code other} is the file. */
    public boolean isIn(Path other) {
        return other.equals(file);
    }

    /** The file and its fault. */
    public String what() {
        return what;
    }

    public String expected() {
        return expected;
    }
}
