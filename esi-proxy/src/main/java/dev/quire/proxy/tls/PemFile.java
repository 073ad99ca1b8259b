package dev.quire.proxy.tls;

import dev.quire.proxy.exchange.PlainWords;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A file of PEM blocks (RFC 7468), read whole. */
record PemFile(Path path, String text) {
    private static final int MAX_BYTES = 1 << 20;
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----\\s([^-]*)-----END \\1-----");
    private static final Set<String> KEYS =
            Set.of("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY");
    private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA");
    private static final String KEY =
            "a private key in PEM (BEGIN PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY)";
    private static final String CERTIFICATES = "certificates in PEM (BEGIN CERTIFICATE)";

    /** Reads {@code path}, with all links resolved anew. Blocks. */
    static PemFile read(Path path) throws UnusableFile {
        try {
            var bytes = SmallFile.read(path, MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new UnusableFile(path, "is larger than 1 MiB", CERTIFICATES);
            }
            return new PemFile(path, new String(bytes, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new UnusableFile(path, "cannot be read: " + PlainWords.of(e), "a readable file");
        }
    }

    /** Its certificates, at least one. */
    List<X509Certificate> certificates() throws UnusableFile {
        var certificates = new ArrayList<X509Certificate>();
        try {
            var factory = CertificateFactory.getInstance("X.509");
            for (var block = blocks(); block.find(); ) {
                if (block.group(1).equals("CERTIFICATE")) {
                    var der = new ByteArrayInputStream(decoded(block));
                    certificates.add((X509Certificate) factory.generateCertificate(der));
                }
            }
        } catch (CertificateException e) {
            throw new UnusableFile(path, "has a malformed certificate", CERTIFICATES);
        }
        if (certificates.isEmpty()) {
            throw new UnusableFile(path, "has no certificate", CERTIFICATES);
        }
        return certificates;
    }

    /** Its private key, which must be the only one. */
    PrivateKey key() throws UnusableFile {
        if (text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENC")) {
            throw new UnusableFile(path, "is protected by a password", "a key without one");
        }
        var keys = new ArrayList<PrivateKey>();
        for (var block = blocks(); block.find(); ) {
            if (KEYS.contains(block.group(1))) {
                keys.add(key(block));
            }
        }
        if (keys.size() != 1) {
            throw new UnusableFile(
                    path, keys.isEmpty() ? "has no private key" : "has several private keys", KEY);
        }
        return keys.getFirst();
    }

    private PrivateKey key(Matcher block) throws UnusableFile {
        var der = pkcs8(block);
        return ALGORITHMS.stream()
                .flatMap(algorithm -> key(algorithm, der).stream())
                .findFirst()
                .orElseThrow(() ->
                        new UnusableFile(
                                path,
                                "has a malformed private key, or one of an unknown kind",
                                KEY));
    }

    private byte[] pkcs8(Matcher block) throws UnusableFile {
        try {
            return PrivateKeyInfo.of(block.group(1), decoded(block));
        } catch (IllegalArgumentException malformed) {
            throw new UnusableFile(path, "has a malformed private key", KEY);
        }
    }

    private static Optional<PrivateKey> key(String algorithm, byte[] der) {
        try {
            return Optional.of(
                    KeyFactory.getInstance(algorithm)
                            .generatePrivate(new PKCS8EncodedKeySpec(der)));
        } catch (GeneralSecurityException another) {
            return Optional.empty();
        }
    }

    private Matcher blocks() {
        return BLOCK.matcher(text);
    }

    private byte[] decoded(Matcher block) throws UnusableFile {
        try {
            return Base64.getMimeDecoder().decode(block.group(2));
        } catch (IllegalArgumentException e) {
            throw new UnusableFile(path, "has a block that is not Base64", "a file in PEM");
        }
    }
}
