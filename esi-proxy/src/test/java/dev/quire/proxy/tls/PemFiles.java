package dev.quire.proxy.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;

/** An authority, and files of the certificates that it issues. */
final class PemFiles {
    private final Path folder;
    final X509Bundle authority;

    PemFiles(Path folder) throws Exception {
        this.folder = folder;
        authority = builder("authority").setIsCertificateAuthority(true).buildSelfSigned();
    }

    private static CertificateBuilder builder(String name) {
        return new CertificateBuilder()
                .subject("CN=" + name)
                .notBefore(Instant.now().minus(Duration.ofDays(1)))
                .notAfter(Instant.now().plus(Duration.ofDays(1)))
                .ecp256();
    }

    X509Bundle issued(CertificateBuilder.Algorithm kind, String... names) throws Exception {
        return issued(builder(names[0]).algorithm(kind), names);
    }

    private X509Bundle issued(CertificateBuilder builder, String... names) throws Exception {
        // The builder's own method refuses wildcards.
        var all =
                new GeneralNames(
                        Arrays.stream(names)
                                .map(name ->
                                        new GeneralName(
                                                name.contains(":")
                                                        ? GeneralName.iPAddress
                                                        : GeneralName.dNSName,
                                                name))
                                .toArray(GeneralName[]::new));
        builder.addExtensionOctetString("2.5.29.17", false, all.getEncoded());
        return builder.buildIssuedBy(authority);
    }

    /** A certificate of a P-256 key as the files of a server, which have been read. */
    ServerCertificate server(String file, CertificateBuilder.Algorithm kind, String... names)
            throws Exception {
        var bundle = issued(kind, names);
        return ServerCertificate.read(
                write(file + ".pem", bundle.getCertificatePathPEM()),
                write(file + ".key", bundle.getPrivateKeyPEM()));
    }

    /** Likewise, valid from {@code start} on. */
    ServerCertificate valid(String file, Instant start, Duration time, String... names)
            throws Exception {
        var bundle = issued(builder(names[0]).notBefore(start).notAfter(start.plus(time)), names);
        return ServerCertificate.read(
                write(file + ".pem", bundle.getCertificatePathPEM()),
                write(file + ".key", bundle.getPrivateKeyPEM()));
    }

    Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    /** A block of PEM. */
    static String block(String label, byte[] der) {
        var lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(label, lines, label);
    }
}
