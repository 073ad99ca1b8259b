package dev.quire.proxy.tls;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A certificate of this server with its key, as its files contained them. Two are equal if their
 * chains and staples are.
 */
public final class ServerCertificate {
    /** The suffix of the file with the OCSP response for a certificate. */
    private static final String STAPLE = ".ocsp";

    private static final int MAX_STAPLE_BYTES = 64 * 1024;
    private static final byte SEQUENCE = 0x30;

    /** An ENUMERATED of 0. */
    private static final byte[] SUCCESSFUL = {0x0a, 1, 0};

    private final KeyPairFiles pair;
    private final CertificateNames names;
    private final List<String> allNames;
    private final Optional<byte[]> staple;
    private final String digest;

    private ServerCertificate(KeyPairFiles pair, CertificateNames names, Optional<byte[]> staple) {
        this.pair = pair;
        this.names = names;
        this.allNames = names.all();
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
        var names = CertificateNames.of(pair.leaf());
        if (names.all().isEmpty()) {
            throw new UnusableFile(
                    certificate, "names no host", "a certificate with subjectAltName");
        }
        return new ServerCertificate(pair, names, staple(certificate));
    }

    private static Optional<byte[]> staple(Path certificate) throws UnusableFile {
        var file = certificate.resolveSibling(certificate.getFileName() + STAPLE);
        try {
            var staple = SmallFile.read(file, MAX_STAPLE_BYTES + 1);
            if (staple.length > MAX_STAPLE_BYTES || !isSuccessful(staple)) {
                throw new UnusableFile(
                        file, "is not a successful OCSP response", "one in DER, of at most 64 KiB");
            }
            return Optional.of(staple);
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UnusableFile(file, "cannot be read", "an OCSP response, or no such file");
        }
    }

    /**
     * Whether {@code der} is one SEQUENCE that begins with the status "successful" (RFC 6960
     * §4.2.1).
     */
    private static boolean isSuccessful(byte[] der) {
        if (der.length < 2 || der[0] != SEQUENCE) {
            return false;
        }
        int first = der[1] & 0xff;
        int lengthBytes = first < 0x80 ? 0 : first - 0x80;
        int at = 2 + lengthBytes;
        if (lengthBytes > 3 || der.length < at + SUCCESSFUL.length) {
            return false;
        }
        int length = lengthBytes == 0 ? first : 0;
        for (int i = 2; i < at; i++) {
            length = length << 8 | (der[i] & 0xff);
        }
        return length == der.length - at
                && Arrays.equals(der, at, at + SUCCESSFUL.length, SUCCESSFUL, 0, SUCCESSFUL.length);
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
        return allNames;
    }

    /** The first of its names. */
    public String name() {
        return allNames.getFirst();
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

    /** Returns why it is not valid at {@code now}, or nothing if it is. */
    public Optional<String> invalidity(Instant now) {
        var notBefore = pair.leaf().getNotBefore().toInstant();
        if (now.isAfter(notAfter())) {
            return Optional.of("has expired on " + notAfter());
        }
        return now.isBefore(notBefore)
                ? Optional.of("is valid only from " + notBefore + " on")
                : Optional.empty();
    }

    boolean isValid(Instant now) {
        return invalidity(now).isEmpty();
    }

    /** Whether it is for {@code host}, in lower case and without port or brackets. */
    public boolean covers(String host) {
        return names.cover(host);
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
