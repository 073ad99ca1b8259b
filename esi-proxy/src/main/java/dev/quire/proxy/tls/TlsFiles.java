package dev.quire.proxy.tls;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the files that a configuration names. Blocks. */
public final class TlsFiles {
    private TlsFiles() {}

    /** Returns why files of {@code source} cannot be used. */
    public static List<UnusableFile> faults(CertificateSource source) {
        var faults = new ArrayList<UnusableFile>();
        try {
            for (var pair : source.pairs()) {
                try {
                    ServerCertificate.read(pair.certificate(), pair.key());
                } catch (UnusableFile fault) {
                    faults.add(fault);
                }
            }
            if (source instanceof CertificateSource.Folder folder && source.pairs().isEmpty()) {
                faults.add(
                        new UnusableFile(
                                folder.folder(),
                                "has no file " + folder.certificate(),
                                "at least one certificate"));
            }
        } catch (UnusableFile fault) {
            faults.add(fault);
        }
        return faults;
    }

    /** Whether a certificate of {@code sources} is for {@code host}. */
    public static boolean cover(List<CertificateSource> sources, String host) {
        try {
            for (var source : sources) {
                for (var pair : source.pairs()) {
                    if (ServerCertificate.read(pair.certificate(), pair.key()).covers(host)) {
                        return true;
                    }
                }
            }
        } catch (UnusableFile changed) {
            // Reported by faults(), or by the next check of the files.
            return true;
        }
        return false;
    }

    /** Returns why {@code file} has no certificates of authorities. */
    public static Optional<UnusableFile> faultOfAuthorities(Path file) {
        try {
            KeyPairFiles.authorities(file);
            return Optional.empty();
        } catch (UnusableFile fault) {
            return Optional.of(fault);
        }
    }

    /** Returns why {@code file} has no keys of session tickets. */
    public static Optional<UnusableFile> faultOfTicketKeys(Path file) {
        try {
            TicketKeys.read(file);
            return Optional.empty();
        } catch (UnusableFile fault) {
            return Optional.of(fault);
        }
    }
}
