package dev.quire.proxy.tls;

import dev.quire.core.text.Literal;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A certificate of this server with its key, as its files contained them. Two are equal if their
 * chains and staples are.
 */
public final class ServerCertificate {
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    /** The suffix of the file with the OCSP response for a certificate. */
    private static final String STAPLE = ".ocsp";

    private static final int MAX_STAPLE_BYTES = 64 * 1024;

    private final KeyPairFiles pair;
    private final List<String> names;
    private final Optional<byte[]> staple;
    private final String digest;

    private ServerCertificate(KeyPairFiles pair, List<String> names, Optional<byte[]> staple) {
        this.pair = pair;
        this.names = names;
        this.staple = staple;
        this.digest = digest(pair, staple);
    }

    /**
     * Reads the certificate and its key, and the OCSP response beside it if there is one. Blocks.
     *
     * @throws UnusableFile if one of the files cannot be used, or the certificate names no host
     */
    public static ServerCertificate read(Path certificate, Path key) throws UnusableFile {
        var pair = KeyPairFiles.read(certificate, key);
        var names = names(pair.leaf());
        if (names.isEmpty()) {
            throw new UnusableFile(
                    certificate, "names no host", "a certificate with subjectAltName");
        }
        return new ServerCertificate(pair, names, staple(certificate));
    }

    private static Optional<byte[]> staple(Path certificate) throws UnusableFile {
        var file = certificate.resolveSibling(certificate.getFileName() + STAPLE);
        try {
            return Optional.of(SmallFile.read(file, MAX_STAPLE_BYTES));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UnusableFile(file, "cannot be read", "an OCSP response, or no such file");
        }
    }

    private static List<String> names(X509Certificate certificate) {
        var names = new ArrayList<String>();
        try {
            var alternatives = certificate.getSubjectAlternativeNames();
            for (var each : alternatives == null ? List.<List<?>>of() : alternatives) {
                boolean isHost =
                        Objects.equals(each.getFirst(), DNS_NAME)
                                || Objects.equals(each.getFirst(), IP_ADDRESS);
                if (isHost && each.get(1) instanceof String name) {
                    names.add(name.toLowerCase(Locale.ROOT));
                }
            }
        } catch (CertificateParsingException malformed) {
            return List.of();
        }
        return List.copyOf(names);
    }

    private static String digest(KeyPairFiles pair, Optional<byte[]> staple) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (var each : pair.chain()) {
                digest.update(each.getEncoded());
            }
            staple.ifPresent(digest::update);
            return HexFormat.of().formatHex(digest.digest());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a parsed certificate has an encoded form", e);
        }
    }

    KeyPairFiles pair() {
        return pair;
    }

    /** The file of the certificate. */
    public Path file() {
        return pair.certificate();
    }

    /** The hosts it is for, in lower case: names, {@code *.NAME}, and addresses. */
    public List<String> names() {
        return names;
    }

    /** The first of its names. */
    public String name() {
        return names.getFirst();
    }

    /** Whether there is an OCSP response for it. */
    public boolean isStapled() {
        return staple.isPresent();
    }

    Optional<byte[]> staple() {
        return staple;
    }

    /** The kind of its key, such as {@code RSA} or {@code EC}. */
    public String kind() {
        return pair.key().getAlgorithm();
    }

    /** The end of its validity. */
    public Instant notAfter() {
        return pair.leaf().getNotAfter().toInstant();
    }

    /** Whether {@code now} is after its validity. */
    public boolean isExpired(Instant now) {
        return now.isAfter(notAfter());
    }

    /**
     * Whether it is for {@code host}, in lower case and without port or brackets (RFC 9525 §6.3). A
     * wildcard matches one label.
     */
    public boolean covers(String host) {
        return names.contains(host)
                || names.contains(wildcard(host))
                || Literal.address(host).map(this::coversAddress).orElse(false);
    }

    private boolean coversAddress(InetAddress address) {
        return names.stream()
                .anyMatch(name -> Literal.address(name).filter(address::equals).isPresent());
    }

    /** The wildcard that covers {@code host}. */
    static String wildcard(String host) {
        int dot = host.indexOf('.');
        return dot < 0 ? "*." : "*" + host.substring(dot);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ServerCertificate that && that.digest.equals(digest);
    }

    @Override
    public int hashCode() {
        return digest.hashCode();
    }

    @Override
    public String toString() {
        return name() + " (" + kind() + ", " + file() + ")";
    }
}
