package dev.quire.test.wire.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate for the names that tests use, made by this JDK's {@code keytool} once for each JVM
 * and deleted at its end. Its files have PEM form.
 */
public final class TestCertificate {
    private static final List<String> NAMES =
            List.of(
                    "dns:localhost",
                    "ip:127.0.0.1",
                    "ip:::1",
                    "dns:*.example",
                    "dns:example.test",
                    "dns:*.example.test",
                    "dns:evil.test",
                    "dns:other.test",
                    "dns:example.com",
                    "dns:*.example.com",
                    "dns:site.example",
                    "dns:*.site.example",
                    "dns:other.example",
                    "dns:unknown.example",
                    "dns:evil.example",
                    "dns:one.example",
                    "dns:two.example",
                    "dns:shop.example",
                    "dns:my-site.example",
                    "dns:site-2e.example",
                    "dns:www.example.com");
    private static final char[] PASSWORD = "password".toCharArray();

    private final Path certificate;
    private final Path key;
    private final SSLContext trusting;

    private TestCertificate() throws IOException, GeneralSecurityException {
        var folder = Files.createTempDirectory("quire-tls");
        folder.toFile().deleteOnExit();
        var store = folder.resolve("store.p12");
        generate(store);
        var keys = KeyStore.getInstance(store.toFile(), PASSWORD);
        Files.delete(store);
        certificate = folder.resolve("certificate.pem");
        key = folder.resolve("key.pem");
        write(certificate, "CERTIFICATE", keys.getCertificate("tested").getEncoded());
        write(key, "PRIVATE KEY", keys.getKey("tested", PASSWORD).getEncoded());
        trusting = trusting(keys);
    }

    /** The one of this JVM. */
    public static TestCertificate shared() {
        return Holder.SHARED;
    }

    private static final class Holder {
        static final TestCertificate SHARED = create();

        private static TestCertificate create() {
            try {
                return new TestCertificate();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot make a certificate", e);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("expected a certificate, but " + e, e);
            }
        }
    }

    public Path certificate() {
        return certificate;
    }

    public Path key() {
        return key;
    }

    /** The section {@code tls} of a configuration with it. */
    public String section() {
        return "{ certificates: [ { cert: \"%s\", key: \"%s\" } ] }".formatted(certificate, key);
    }

    /** For clients that trust only this certificate, and do not compare names. */
    public SSLContext trusting() {
        return trusting;
    }

    private static SSLContext trusting(KeyStore keys) throws IOException, GeneralSecurityException {
        var trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("tested", keys.getCertificate("tested"));
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    private static void write(Path file, String kind, byte[] der) throws IOException {
        var lines = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(der);
        Files.writeString(
                file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, lines, kind));
        file.toFile().deleteOnExit();
    }

    private static void generate(Path store) throws IOException {
        var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        var process =
                new ProcessBuilder(
                                keytool.toString(),
                                "-genkeypair",
                                "-alias",
                                "tested",
                                "-keyalg",
                                "EC",
                                "-groupname",
                                "secp256r1",
                                "-validity",
                                "2",
                                "-dname",
                                "CN=tested",
                                "-ext",
                                "san=" + String.join(",", NAMES),
                                "-storetype",
                                "PKCS12",
                                "-storepass",
                                new String(PASSWORD),
                                "-keystore",
                                store.toString())
                        .redirectErrorStream(true)
                        .start();
        var said = new String(process.getInputStream().readAllBytes(), US_ASCII);
        try {
            if (process.waitFor() != 0) {
                throw new IOException("keytool failed: " + said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while keytool ran", e);
        }
    }
}
