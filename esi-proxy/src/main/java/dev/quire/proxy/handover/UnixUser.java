package dev.quire.proxy.handover;

import io.netty.channel.epoll.EpollDomainSocketChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The users of the two processes of a handover, which must be the same. */
final class UnixUser {

    private UnixUser() {}

    /** Returns the effective user of this process. */
    static long own() throws IOException {
        // The owner of /proc/self is root if the JVM has capabilities of its file.
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("Uid:"))
                    .map(line -> Long.parseLong(line.split("\\s+", -1)[2]))
                    .findFirst()
                    .orElseThrow(() -> new IOException("/proc/self/status has no line Uid:"));
        }
    }

    /** Returns why {@code peer} is not a process of {@code user}, or nothing if it is. */
    static Optional<String> mismatch(EpollDomainSocketChannel peer, long user) throws IOException {
        int other = peer.peerCredentials().uid();
        return other == user
                ? Optional.empty()
                : Optional.of("the other process runs as user " + other);
    }
}
