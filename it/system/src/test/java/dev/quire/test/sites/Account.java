package dev.quire.test.sites;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.ArrayList;
import java.util.List;

/**
 * The account that applications with known faults and passwords run as. PHP and MariaDB refuse to
 * run as root, and a user of this machine who reaches such a port must not become root.
 */
final class Account {
    private static final String NAME = "www-data";

    private Account() {}

    /** A process that owns {@code folder}; it is started as another user only by root. */
    static ProcessBuilder run(Path folder, List<String> command) throws IOException {
        if (!System.getProperty("user.name").equals("root")) {
            return new ProcessBuilder(command);
        }
        give(folder);
        var whole =
                new ArrayList<>(
                        List.of(
                                "setpriv",
                                "--reuid=" + NAME,
                                "--regid=" + NAME,
                                "--clear-groups",
                                "--no-new-privs"));
        whole.addAll(command);
        var builder = new ProcessBuilder(whole);
        builder.environment().put("HOME", folder.toString());
        return builder.directory(folder.toFile());
    }

    private static void give(Path folder) throws IOException {
        var accounts = folder.getFileSystem().getUserPrincipalLookupService();
        var user = accounts.lookupPrincipalByName(NAME);
        var group = accounts.lookupPrincipalByGroupName(NAME);
        try (var files = Files.walk(folder)) {
            for (var file : files.toList()) {
                var view =
                        Files.getFileAttributeView(
                                file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
                view.setGroup(group);
                view.setOwner(user);
            }
        }
    }
}
