package dev.quire.proxy.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerTlsTest {
    private static final TlsEvents NO_EVENTS =
            new TlsEvents() {
                @Override
                public void handshake(Handshake result, String version) {}

                @Override
                public void reloaded(Reload result) {}

                @Override
                public void using(Collection<ServerCertificate> certificates) {}
            };

    @TempDir private Path folder;
    private PemFiles files;
    private Instant now = Instant.now();
    private final ServerTls tls = new ServerTls(() -> now, NO_EVENTS);

    @BeforeEach
    void start() throws Exception {
        files = new PemFiles(folder);
        files.write("ca.pem", files.authority.getCertificatePEM());
    }

    @AfterEach
    void stop() {
        tls.close();
    }

    private TlsTerms terms(TlsTerms.Ask ask, String... names) throws Exception {
        for (var name : names) {
            files.server(name, Algorithm.ecp256, name);
        }
        return new TlsTerms(
                List.of(new CertificateSource.Folder(folder, "*.test.pem", "*.test.key")),
                TlsTerms.NONE.fallback(),
                TlsTerms.NONE.versions(),
                new TlsTerms.Clients(ask, Optional.of(folder.resolve("ca.pem"))),
                Optional.empty(),
                TlsTerms.NONE.rotate(),
                TlsTerms.NONE.checkEvery());
    }

    private TlsIdentity selected(String name) {
        return Objects.requireNonNull(tls.select(name), name);
    }

    /** The files of the terms from before may be gone; their certificates are in memory. */
    @Test
    void changeThatIsDiscardedLeavesWhatWasInUse() throws Exception {
        tls.configure(terms(TlsTerms.Ask.REQUIRE, "a.test")).commit();
        var before = selected("a.test");
        var change = tls.configure(terms(TlsTerms.Ask.OFF, "b.test"));
        assertThat(selected("b.test").covers("b.test")).isTrue();
        Files.delete(folder.resolve("a.test.key"));

        change.discard();

        assertThat(selected("a.test").certificates()).isEqualTo(before.certificates());
        assertThat(selected("a.test").isLaxerThan(terms(tls, TlsTerms.Ask.REQUIRE))).isFalse();
        assertThat(tls.allows(before)).isTrue();
    }

    private TlsIdentity.Terms terms(ServerTls of, TlsTerms.Ask ask) throws Exception {
        assertThat(of.certificates()).hasSize(1);
        return new TlsIdentity.Terms(
                terms(ask), KeyPairFiles.authorities(folder.resolve("ca.pem")));
    }

    @Test
    void identityOfLaxerTermsIsNotAllowed() throws Exception {
        tls.configure(terms(TlsTerms.Ask.OFF, "a.test")).commit();
        var lax = selected("a.test");

        tls.configure(terms(TlsTerms.Ask.REQUIRE)).commit();

        assertThat(tls.allows(lax)).isFalse();
        assertThat(tls.allows(selected("a.test"))).isTrue();
    }

    @Test
    void connectionsEndOnlyWithAChangeThatIsCommitted() throws Exception {
        int[] ended = {0};
        tls.onChange(() -> ended[0]++);

        var change = tls.configure(terms(TlsTerms.Ask.OFF, "a.test"));
        assertThat(ended[0]).isZero();
        change.commit();

        assertThat(ended[0]).isEqualTo(1);
    }

    @Test
    void moreCertificatesThanAThousandAreRefused() throws Exception {
        for (int i = 0; i <= 1000; i++) {
            files.write("n" + i + ".test.pem", "");
        }
        var many = terms(TlsTerms.Ask.OFF);

        assertThatThrownBy(() -> tls.configure(many))
                .isInstanceOf(UnusableFile.class)
                .hasMessage(
                        folder + " has more than 1,000 files *.test.pem (expected at most 1,000)");
    }

    /** A withdrawn authority is a matter of seconds, not of the next restart. */
    @Test
    void otherAuthoritiesOfClientsAreReadAgain() throws Exception {
        tls.configure(terms(TlsTerms.Ask.REQUIRE, "a.test")).commit();
        var before = selected("a.test");
        int[] ended = {0};
        tls.onChange(() -> ended[0]++);
        files.write("ca.pem", new PemFiles(folder).authority.getCertificatePEM());

        assertThat(tls.check()).isEmpty();

        assertThat(tls.allows(before)).isFalse();
        assertThat(tls.allows(selected("a.test"))).isTrue();
        assertThat(ended[0]).isEqualTo(1);

        files.write("ca.pem", "none");
        assertThat(tls.check())
                .singleElement()
                .asString()
                .contains("ca.pem has no certificate, the one before stays in use");
        assertThat(tls.allows(selected("a.test"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {-9, 9})
    void certificateThatIsNotValidReplacesNoValidOne(int days) throws Exception {
        tls.configure(terms(TlsTerms.Ask.OFF, "a.test")).commit();
        var before = selected("a.test").certificates();
        files.valid("a.test", now.plus(Duration.ofDays(days)), Duration.ofDays(1), "a.test");

        assertThat(tls.check()).singleElement().asString().contains("a.test.pem", " valid");
        assertThat(selected("a.test").certificates()).isEqualTo(before);
    }

    /** As little as one in another file, which a new configuration names. */
    @ParameterizedTest
    @ValueSource(ints = {-9, 9})
    void configurationWithAnInvalidCertificateInPlaceOfAValidOneIsRefused(int days)
            throws Exception {
        tls.configure(terms(TlsTerms.Ask.OFF, "a.test")).commit();
        files.valid("other", now.plus(Duration.ofDays(days)), Duration.ofDays(1), "a.test");

        assertThatThrownBy(() -> tls.configure(pair("other")))
                .isInstanceOf(UnusableFile.class)
                .hasMessageContaining("other.pem")
                .hasMessageContaining("would replace a valid certificate");

        assertThat(selected("a.test").certificates().getFirst().file())
                .isEqualTo(folder.resolve("a.test.pem"));
    }

    private TlsTerms pair(String... files) throws Exception {
        return new TlsTerms(
                Arrays.stream(files)
                        .<CertificateSource>map(file ->
                                new CertificateSource.Pair(
                                        folder.resolve(file + ".pem"),
                                        folder.resolve(file + ".key")))
                        .toList(),
                TlsTerms.NONE.fallback(),
                TlsTerms.NONE.versions(),
                TlsTerms.NONE.clients(),
                Optional.empty(),
                TlsTerms.NONE.rotate(),
                TlsTerms.NONE.checkEvery());
    }

    /** Likewise for a new file of a folder in place of another one, also of another kind. */
    @ParameterizedTest
    @ValueSource(ints = {-9, 9})
    void invalidCertificateInAnotherFileReplacesNoValidOne(int days) throws Exception {
        files.server("old.test", Algorithm.rsa2048, "a.test");
        tls.configure(terms(TlsTerms.Ask.OFF)).commit();
        var before = selected("a.test").certificates();
        files.valid("new.test", now.plus(Duration.ofDays(days)), Duration.ofDays(1), "a.test");
        Files.delete(folder.resolve("old.test.pem"));

        assertThat(tls.check())
                .singleElement()
                .asString()
                .contains("new.test.pem", "would replace a valid certificate");
        assertThat(selected("a.test").certificates()).isEqualTo(before);
    }

    /** The files do not change when a certificate expires. */
    @Test
    void certificateThatExpiresGivesWayToAnotherForItsName() throws Exception {
        var soon = files.valid("soon", now, Duration.ofHours(1), "a.test");
        var late = files.valid("late", now, Duration.ofHours(9), "a.test");
        tls.configure(pair("soon", "late")).commit();
        assertThat(selected("a.test").certificates()).containsExactly(soon);

        now = now.plus(Duration.ofHours(2));
        assertThat(tls.check()).isEmpty();

        assertThat(selected("a.test").certificates()).containsExactly(late);
    }

    /** The first of its names may belong to others, too. */
    @Test
    void connectionEndsWithTheLastCertificateOfAnyOfItsNames() throws Exception {
        files.server("both", Algorithm.ecp256, "a.test", "b.test");
        files.server("one", Algorithm.rsa2048, "a.test");
        tls.configure(pair("both", "one")).commit();
        var before = selected("b.test");

        tls.configure(pair("one")).commit();

        assertThat(tls.allows(before)).isFalse();
        assertThat(tls.allows(selected("a.test"))).isTrue();
    }

    /** A folder that is filled anew is empty for a moment, another source is not. */
    @Test
    void folderThatIsEmptyForAMomentKeepsItsCertificates() throws Exception {
        var inner = Files.createDirectory(folder.resolve("inner"));
        var inFolder = new PemFiles(inner);
        inFolder.server("b.test", Algorithm.ecp256, "b.test");
        files.server("a", Algorithm.ecp256, "a.test");
        var both =
                new TlsTerms(
                        List.of(
                                pair("a").sources().getFirst(),
                                new CertificateSource.Folder(inner, "*.pem", "*.key")),
                        TlsTerms.NONE.fallback(),
                        TlsTerms.NONE.versions(),
                        TlsTerms.NONE.clients(),
                        Optional.empty(),
                        TlsTerms.NONE.rotate(),
                        TlsTerms.NONE.checkEvery());
        tls.configure(both).commit();
        Files.delete(inner.resolve("b.test.pem"));

        tls.check();

        assertThat(tls.select("b.test")).isNotNull();
        Files.createSymbolicLink(inner.resolve("self"), Path.of("."));
        inFolder.server("c.test", Algorithm.ecp256, "c.test");
        assertThat(tls.check()).isEmpty();
        assertThat(tls.select("c.test")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "garbage", "0\u0003\n\u0001\u0001", "0\u0005\n\u0001\0"})
    void responseOfOcspThatIsNotSuccessfulIsRefused(String response) throws Exception {
        files.server("a", Algorithm.ecp256, "a.test");
        files.write("a.pem.ocsp", response);

        assertThatThrownBy(() -> tls.configure(pair("a")))
                .isInstanceOf(UnusableFile.class)
                .hasMessageContaining("a.pem.ocsp is not a successful OCSP response");

        files.write("a.pem.ocsp", "0\u0003\n\u0001\0");
        tls.configure(pair("a")).commit();
        assertThat(selected("a.test").certificates().getFirst().isStapled()).isTrue();
    }

    /** A pipe or a device has no end: reading it would hang. */
    @ParameterizedTest
    @ValueSource(strings = {"a.test.pem", "a.test.key", "ca.pem"})
    void fileThatIsNotRegularIsRefused(String name) throws Exception {
        tls.configure(terms(TlsTerms.Ask.REQUIRE, "a.test")).commit();
        var file = folder.resolve(name);
        Files.delete(file);
        Files.createSymbolicLink(file, Path.of("/dev/zero"));

        assertThat(tls.check())
                .singleElement()
                .asString()
                .contains(name + " cannot be read: it is not a regular file");
        assertThat(tls.select("a.test")).isNotNull();
    }
}
