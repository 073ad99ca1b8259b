package dev.quire.proxy.handover;

import dev.quire.proxy.exchange.PlainWords;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a Unix socket that listens. A new socket is bound under another name, gets its
 * permissions and then takes the name, so that no client finds it closed or open to others.
 */
public final class UnixSocketFile {
    private static final Logger LOG = LoggerFactory.getLogger(UnixSocketFile.class);
    private static final String FREE = "a path on which no process listens";

    private final Path path;

    /** Identifies the file as the one of this socket; null if the file is another process's. */
    private @Nullable Object identity;

    private UnixSocketFile(Path path) {
        this.path = path;
    }

    /** A path that cannot be used. */
    public static final class Unusable extends IOException {
        private static final long serialVersionUID = 1;

        private final String what;
        private final String expected;

        Unusable(String what, String expected) {
            super(what + " (expected " + expected + ")");
            this.what = what;
            this.expected = expected;
        }

        public String what() {
            return what;
        }

        public String expected() {
            return expected;
        }
    }

    /** Returns why a socket cannot listen at {@code path}, or nothing if it can. Blocks. */
    public static Optional<Unusable> obstacle(Path path) {
        var folder = path.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            return Optional.of(new Unusable("is in a folder that does not exist", "a folder"));
        }
        if (!Files.isWritable(folder)) {
            return Optional.of(
                    new Unusable("is not permitted", "a folder in which this user may write"));
        }
        try {
            if (!isSocket(path)) {
                return Optional.of(new Unusable("is not a socket", "the path of a socket"));
            }
        } catch (IOException absent) {
            return Optional.empty();
        }
        try {
            SocketChannel.open(UnixDomainSocketAddress.of(path)).close();
            return Optional.of(new Unusable("is in use", FREE));
        } catch (ConnectException stale) {
            return Optional.empty();
        } catch (IOException e) {
            // Perhaps that of another user: it stays.
            return Optional.of(new Unusable("may be in use: " + PlainWords.of(e), FREE));
        }
    }

    private static boolean isSocket(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther();
    }

    /** The file of a socket that another process has bound; it stays until {@link #own}. */
    public static UnixSocketFile inherited(Path path) {
        return new UnixSocketFile(path);
    }

    /** Binds a socket, given the name under which to bind it. */
    public interface Binding {
        void bind(Path name) throws IOException;
    }

    /**
     * Binds a socket by {@code binding} and makes it available at {@code path}, in place of a
     * socket there.
     */
    public static UnixSocketFile create(Path path, Binding binding) throws IOException {
        var name = path.resolveSibling(path.getFileName() + "~");
        if (Files.exists(name, LinkOption.NOFOLLOW_LINKS) && !isSocket(name)) {
            throw new Unusable(
                    "cannot be used, as %s is not a socket".formatted(name),
                    "a path whose name with ~ is free");
        }
        try {
            Files.deleteIfExists(name);
            binding.bind(name);
            Files.setPosixFilePermissions(name, PosixFilePermissions.fromString("rw-rw----"));
            Files.move(
                    name,
                    path,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException unusable) {
            Files.deleteIfExists(name);
            throw unusable;
        }
        var file = new UnixSocketFile(path);
        file.own();
        return file;
    }

    public Path path() {
        return path;
    }

    /** From now on the file ends with its socket. */
    public void own() {
        identity = identity();
    }

    /** The file belongs to another process from now on. */
    public void give() {
        identity = null;
    }

    /** Deletes the file, unless another socket has taken its name. */
    public void delete() {
        try {
            if (identity != null && identity.equals(identity())) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("event", "socket-left")
                    .log("{} cannot be deleted: {}", path, PlainWords.of(e));
        }
        identity = null;
    }

    private @Nullable Object identity() {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
        } catch (IOException gone) {
            return null;
        }
    }
}
