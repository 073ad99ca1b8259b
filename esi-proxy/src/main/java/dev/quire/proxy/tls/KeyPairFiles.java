package dev.quire.proxy.tls;

import io.netty.handler.ssl.OpenSslCredentialBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.util.List;

/**
 * A certificate with its chain, and its private key.
 *
 * @param chain the certificate first, then those of the authorities, each of which has issued the
 *     one before
 */
public record KeyPairFiles(Path certificate, List<X509Certificate> chain, PrivateKey key) {
    private static final String KINDS =
            "an RSA key of 2,048 bits or more, one of P-256, P-384 or P-521, or an Ed25519 key";

    private static final int MIN_RSA_BITS = 2048;

    public KeyPairFiles {
        chain = List.copyOf(chain);
    }

    /**
     * Reads both files and checks that they belong together. Does not check the dates. Blocks.
     *
     * @throws UnusableFile if one of them cannot be used, or the key is another one
     */
    public static KeyPairFiles read(Path certificate, Path key) throws UnusableFile {
        var chain = PemFile.read(certificate).certificates();
        for (int i = 1; i < chain.size(); i++) {
            if (!isIssued(chain.get(i - 1), chain.get(i))) {
                throw new UnusableFile(
                        certificate,
                        "has certificate " + (i + 1) + " that has not issued the one before",
                        "the server's certificate, then the chain of those that issued it");
            }
        }
        var pair = new KeyPairFiles(certificate, chain, PemFile.read(key).key());
        if (pair.leaf().getPublicKey() instanceof RSAKey rsa
                && rsa.getModulus().bitLength() < MIN_RSA_BITS) {
            throw new UnusableFile(
                    certificate,
                    "has an RSA key of " + rsa.getModulus().bitLength() + " bits",
                    KINDS);
        }
        if (!pair.isUsable()) {
            throw pair.belongs()
                    ? new UnusableFile(key, "is of a kind that TLS does not use", KINDS)
                    : new UnusableFile(
                            key,
                            "is not the key of the certificate in " + certificate,
                            "its private key");
        }
        return pair;
    }

    /** Reads the certificates of authorities. Blocks. */
    public static List<X509Certificate> authorities(Path file) throws UnusableFile {
        return PemFile.read(file).certificates();
    }

    public X509Certificate leaf() {
        return chain.getFirst();
    }

    private static boolean isIssued(X509Certificate certificate, X509Certificate by) {
        try {
            certificate.verify(by.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** Whether servers and clients can use this certificate with this key. */
    private boolean isUsable() {
        return TlsLibrary.provider() == SslProvider.JDK ? belongs() : isAccepted();
    }

    /** Whether BoringSSL accepts both; this takes a hundredth of the time of {@link #belongs}. */
    private boolean isAccepted() {
        try {
            OpenSslCredentialBuilder.forX509(key, chain.toArray(X509Certificate[]::new))
                    .build()
                    .release();
            return true;
        } catch (RuntimeException refused) {
            return false;
        }
    }

    /** Whether the public key of the certificate verifies what the private key has signed. */
    private boolean belongs() {
        var algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> "EdDSA";
                };
        var text = "quire".getBytes(StandardCharsets.US_ASCII);
        try {
            var signing = Signature.getInstance(algorithm);
            signing.initSign(key);
            signing.update(text);
            var signature = signing.sign();
            var verifying = Signature.getInstance(algorithm);
            verifying.initVerify(leaf().getPublicKey());
            verifying.update(text);
            return verifying.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
