package dev.quire.proxy.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import java.nio.file.Path;
import java.security.interfaces.ECPrivateKey;
import java.util.Arrays;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyPairFilesTest {
    @TempDir private Path folder;
    private PemFiles files;

    @BeforeEach
    void start() throws Exception {
        files = new PemFiles(folder);
    }

    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"ecp256", "ecp384", "rsa2048", "rsa4096", "ed25519"})
    void aKeyOfEachKindFitsItsCertificateAndNoOther(Algorithm kind) throws Exception {
        var one = files.issued(kind, "a.test");
        var other = files.issued(kind, "a.test");
        var certificate =
                files.write("a.pem", one.getCertificatePEM() + files.authority.getCertificatePEM());

        var pair = KeyPairFiles.read(certificate, files.write("a.key", one.getPrivateKeyPEM()));

        assertThat(pair.leaf()).isEqualTo(one.getCertificate());
        assertThat(pair.chain()).hasSize(2);
        var otherKey = files.write("b.key", other.getPrivateKeyPEM());
        assertThatThrownBy(() -> KeyPairFiles.read(certificate, otherKey))
                .isInstanceOf(UnusableFile.class)
                .hasMessage(
                        otherKey
                                + " is not the key of the certificate in "
                                + certificate
                                + " (expected its private key)");
    }

    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"ecp256", "rsa2048", "ed25519"})
    void aKeyOfAnotherKindDoesNotFit(Algorithm kind) throws Exception {
        var certificate =
                files.write("a.pem", files.issued(kind, "a.test").getCertificatePathPEM());
        for (var other : new Algorithm[] {Algorithm.ecp384, Algorithm.rsa3072}) {
            var key = files.write("b.key", files.issued(other, "a.test").getPrivateKeyPEM());

            assertThatThrownBy(() -> KeyPairFiles.read(certificate, key))
                    .hasMessageContaining("is not the key of the certificate in");
        }
    }

    @Test
    void aKeyThatTlsDoesNotUseIsRefused() throws Exception {
        var bundle = files.issued(Algorithm.ed448, "a.test");
        var certificate = files.write("a.pem", bundle.getCertificatePathPEM());
        var key = files.write("a.key", bundle.getPrivateKeyPEM());

        assertThatThrownBy(() -> KeyPairFiles.read(certificate, key))
                .isInstanceOf(UnusableFile.class)
                .hasMessageStartingWith(key + " is of a kind that TLS does not use (expected an");
    }

    /** RFC 8017 §A.1.2: the form that {@code openssl genrsa -traditional} writes. */
    @Test
    void anRsaKeyOfTheOlderFormIsRead() throws Exception {
        var bundle = files.issued(Algorithm.rsa2048, "a.test");
        var inner = inner(bundle.getKeyPair().getPrivate().getEncoded());
        var key = files.write("a.key", PemFiles.block("RSA PRIVATE KEY", inner));

        var pair = KeyPairFiles.read(files.write("a.pem", bundle.getCertificatePathPEM()), key);

        assertThat(pair.key()).isEqualTo(bundle.getKeyPair().getPrivate());
    }

    /** RFC 5915 §3: the form that {@code openssl ecparam -genkey} writes, with its parameters. */
    @Test
    void anEcKeyOfTheOlderFormIsRead() throws Exception {
        var bundle = files.issued(Algorithm.ecp256, "a.test");
        var number = ((ECPrivateKey) bundle.getKeyPair().getPrivate()).getS();
        var inner =
                new org.bouncycastle.asn1.sec.ECPrivateKey(
                        256, number, SECObjectIdentifiers.secp256r1);
        var text =
                PemFiles.block("EC PARAMETERS", SECObjectIdentifiers.secp256r1.getEncoded())
                        + PemFiles.block("EC PRIVATE KEY", inner.getEncoded());

        var pair =
                KeyPairFiles.read(
                        files.write("a.pem", bundle.getCertificatePathPEM()),
                        files.write("a.key", text));

        assertThat(((ECPrivateKey) pair.key()).getS()).isEqualTo(number);
    }

    @Test
    void anEcKeyWithoutTheNameOfItsCurveIsMalformed() throws Exception {
        var inner =
                inner(files.issued(Algorithm.ecp256, "a").getKeyPair().getPrivate().getEncoded());

        assertKeyRefused(PemFiles.block("EC PRIVATE KEY", inner), "has a malformed private key");
    }

    /** Every shorter or changed form of a key is refused, with a message and nothing else. */
    @ParameterizedTest
    @ValueSource(strings = {"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"})
    void aKeyThatIsCutOffIsMalformed(String label) throws Exception {
        var kind = label.startsWith("RSA") ? Algorithm.rsa2048 : Algorithm.ecp256;
        var der = files.issued(kind, "a.test").getKeyPair().getPrivate().getEncoded();
        var whole = label.startsWith("RSA") ? inner(der) : der;
        for (int length = 0; length < whole.length; length += 1 + length / 40) {
            assertKeyRefused(
                    PemFiles.block(label, Arrays.copyOf(whole, length)), "malformed private key");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'', has no private key",
        "'-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----',"
                + " is protected by a password",
        "'-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nAA==\n-----END RSA PRIVATE KEY-----',"
                + " is protected by a password",
        "'-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', malformed private key",
        "'-----BEGIN DSA PRIVATE KEY-----\nAAAA\n-----END DSA PRIVATE KEY-----', has no private key"
    })
    void aFileWithoutOneUsableKeyIsRefused(String text, String why) throws Exception {
        assertKeyRefused(text, why);
    }

    @Test
    void severalKeysAreRefused() throws Exception {
        var one = files.issued(Algorithm.ecp256, "a.test").getPrivateKeyPEM();

        assertKeyRefused(one + one, "has several private keys");
    }

    @Test
    void aCertificateOfAnotherAuthorityInTheChainIsRefused() throws Exception {
        var bundle = files.issued(Algorithm.ecp256, "a.test");
        var other = new PemFiles(folder).authority;
        var chain = files.write("a.pem", bundle.getCertificatePEM() + other.getCertificatePEM());
        var key = files.write("a.key", bundle.getPrivateKeyPEM());

        assertThatThrownBy(() -> KeyPairFiles.read(chain, key))
                .isInstanceOf(UnusableFile.class)
                .hasMessageContaining("has certificate 2 that has not issued the one before");
    }

    @Test
    void aFileOfMoreThanAMebibyteIsNotParsed() throws Exception {
        var file = files.write("large.pem", "x".repeat((1 << 20) + 1));

        assertThatThrownBy(() -> KeyPairFiles.read(file, file))
                .hasMessageContaining("is larger than 1 MiB");
    }

    @Test
    void anAbsentFileIsNamed() {
        var absent = folder.resolve("absent.pem");

        assertThatThrownBy(() -> KeyPairFiles.read(absent, absent))
                .isInstanceOf(UnusableFile.class)
                .hasMessageContaining(absent + " cannot be read");
    }

    @Test
    void noMessageHasTextOfAFile() throws Exception {
        var secret = PemFiles.block("PRIVATE KEY", "secret".getBytes(US_ASCII));

        assertThatThrownBy(() -> read(secret)).hasMessageNotContaining("c2VjcmV0");
    }

    private void assertKeyRefused(String text, String why) {
        assertThatThrownBy(() -> read(text))
                .as(text)
                .isInstanceOf(UnusableFile.class)
                .hasMessageContaining("a.key")
                .hasMessageContaining(why);
    }

    private KeyPairFiles read(String key) throws Exception {
        var certificate = files.write("a.pem", files.authority.getCertificatePEM());
        return KeyPairFiles.read(certificate, files.write("a.key", key));
    }

    private static byte[] inner(byte[] pkcs8) throws Exception {
        return PrivateKeyInfo.getInstance(pkcs8).parsePrivateKey().toASN1Primitive().getEncoded();
    }
}
