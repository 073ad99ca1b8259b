package dev.quire.proxy.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The command-line options as written.
 *
 * @param to {@code --to}: the only origin
 * @param listen {@code --listen}
 * @param admin {@code --admin}
 * @param adminToken {@code --admin-token-file}
 * @param file {@code --config}
 */
public record Options(
        Optional<String> to,
        Optional<String> listen,
        Optional<String> admin,
        Optional<String> adminToken,
        Optional<Path> file) {

    public static final Options NONE =
            new Options(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());

    /** The option or key that sets the client address. */
    public String listenName() {
        return listen.isPresent() ? "--listen" : "listen.http";
    }

    /** The option or key that sets the admin address. */
    public String adminName() {
        return admin.isPresent() ? "--admin" : "admin.address";
    }

    public Options withTo(String url) {
        return new Options(Optional.of(url), listen, admin, adminToken, file);
    }

    public Options withListen(String address) {
        return new Options(to, Optional.of(address), admin, adminToken, file);
    }

    public Options withAdmin(String address) {
        return new Options(to, listen, Optional.of(address), adminToken, file);
    }

    public Options withAdminToken(String path) {
        return new Options(to, listen, admin, Optional.of(path), file);
    }

    public Options withFile(Path path) {
        return new Options(to, listen, admin, adminToken, Optional.of(path));
    }
}
