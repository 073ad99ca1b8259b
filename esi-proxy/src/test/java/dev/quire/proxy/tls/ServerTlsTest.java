package dev.quire.proxy.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
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
    private final ServerTls tls = new ServerTls(Instant::now, NO_EVENTS);

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
