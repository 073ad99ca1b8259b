package dev.quire.proxy.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerTlsTest {
    @TempDir private Path folder;
    private PemFiles files;
    private Instant now = Instant.now();
    private Runnable atWall = () -> {};
    private final List<TlsEvents.Reload> reloads = new ArrayList<>();
    private final ServerTls tls =
            new ServerTls(
                    () -> {
                        atWall.run();
                        return now;
                    },
                    new TlsEvents() {
                        @Override
                        public void handshake(Handshake result, String version) {}

                        @Override
                        public void reloaded(Reload result) {
                            reloads.add(result);
                        }

                        @Override
                        public void using(Collection<ServerCertificate> certificates) {}
                    });

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
        return terms(
                new TlsTerms.Clients(ask, Optional.of(folder.resolve("ca.pem"))),
                Optional.empty(),
                new CertificateSource.Folder(folder, "*.test.pem", "*.test.key"));
    }

    private static TlsTerms terms(
            TlsTerms.Clients clients, Optional<Path> ticketKeys, CertificateSource... sources) {
        return new TlsTerms(
                List.of(sources),
                TlsTerms.NONE.fallback(),
                TlsTerms.NONE.versions(),
                clients,
                ticketKeys,
                TlsTerms.NONE.rotate(),
                TlsTerms.NONE.checkEvery());
    }

    private TlsIdentity selected(String name) {
        return Objects.requireNonNull(tls.select(name), name);
    }

    /** A handshake may have selected its certificate before. */
    @Test
    void identityCreatesNoContextAfterTheEnd() throws Exception {
        tls.configure(terms(TlsTerms.Ask.OFF, "a.test")).commit();
        var identity = selected("a.test");
        assertThat(identity.context(List.of("http/1.1"))).isNotNull();

        tls.close();

        assertThat(identity.context(List.of("http/1.1"))).isNull();
        assertThat(identity.context(List.of("h2"))).isNull();
    }

    /** The gate against leaks fails if a context remains. */
    @Test
    void endDuringACheckReleasesTheContextsAfterIt() throws Exception {
        tls.configure(terms(TlsTerms.Ask.OFF, "a.test")).commit();
        var identity = selected("a.test");
        assertThat(identity.context(List.of("h2"))).isNotNull();
        atWall = () -> CompletableFuture.runAsync(tls::close).join();

        tls.check();

        assertThat(tls.select("a.test")).isNull();
        assertThat(identity.context(List.of("h2"))).isNull();
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

    @Test
    void helloThatComesLateDoesNotExtendTheHandshake() throws Exception {
        tls.configure(terms(TlsTerms.Ask.OFF, "a.test")).commit();
        var channel = new EmbeddedChannel();
        channel.freezeTime();
        var protocols = List.of("http/1.1");
        long began = channel.eventLoop().ticker().nanoTime();
        channel.pipeline()
                .addLast(new ServerHandshake(tls, protocols, 10_000, began, agreed -> {}));
        var hello = hello();
        channel.writeInbound(hello.readRetainedSlice(100));
        pass(channel, Duration.ofSeconds(9));
        channel.writeInbound(hello);
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.outboundMessages()).isNotEmpty();

        pass(channel, Duration.ofMillis(1_100));

        assertThat(channel.isOpen()).isFalse();
        channel.finishAndReleaseAll();
    }

    private static void pass(EmbeddedChannel channel, Duration time) {
        channel.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
    }

    private static ByteBuf hello() throws Exception {
        var engine = SSLContext.getDefault().createSSLEngine("a.test", 443);
        engine.setUseClientMode(true);
        var record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), record);
        return Unpooled.wrappedBuffer(record.flip());
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

    /** It may be in the same file, or in another one, which a new configuration names. */
    @ParameterizedTest
    @CsvSource({"-9, other", "9, other", "-9, a.test", "9, a.test"})
    void configurationWithAnInvalidCertificateInPlaceOfAValidOneIsRefused(int days, String file)
            throws Exception {
        tls.configure(terms(TlsTerms.Ask.OFF, "a.test")).commit();
        var before = selected("a.test").certificates();
        files.valid(file, now.plus(Duration.ofDays(days)), Duration.ofDays(1), "a.test");

        assertThatThrownBy(() -> tls.configure(pair(file)))
                .isInstanceOf(UnusableFile.class)
                .hasMessageContaining(file + ".pem")
                .hasMessageContaining("would replace a valid certificate");

        assertThat(selected("a.test").certificates()).isEqualTo(before);
    }

    @Test
    void returnKeepsTheValidCertificateOfAFileThatHasAnInvalidOneNow() throws Exception {
        files.server("a", Algorithm.ecp256, "a.test");
        tls.configure(pair("a")).commit();
        var before = selected("a.test").certificates();
        files.valid("a", now.minus(Duration.ofDays(9)), Duration.ofDays(1), "a.test");

        tls.restore(pair("a")).commit();

        assertThat(selected("a.test").certificates()).isEqualTo(before);
    }

    private TlsTerms pair(String... files) {
        return terms(
                TlsTerms.NONE.clients(),
                Optional.empty(),
                Arrays.stream(files)
                        .map(file ->
                                new CertificateSource.Pair(
                                        folder.resolve(file + ".pem"),
                                        folder.resolve(file + ".key")))
                        .toArray(CertificateSource[]::new));
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
        assertThat(tls.certificates()).hasSize(1);
    }

    /** It may be for a name of a certificate that was removed, or that was issued without it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusedCertificateLeavesOthersAlone(boolean isRemoved) throws Exception {
        var old = files.server("w.test", Algorithm.ecp256, "www.test", "w.test");
        files.valid("e.test", now.minus(Duration.ofDays(9)), Duration.ofDays(1), "www.test");
        tls.configure(terms(TlsTerms.Ask.OFF, "b.test")).commit();
        if (isRemoved) {
            Files.delete(folder.resolve("w.test.pem"));
        } else {
            files.server("w.test", Algorithm.ecp256, "w.test");
        }
        var renewed = files.server("b.test", Algorithm.ecp256, "b.test");

        for (int i = 0; i < 2; i++) {
            assertThat(tls.check())
                    .singleElement()
                    .asString()
                    .contains("e.test.pem has expired", "would replace a valid certificate");
        }

        assertThat(selected("b.test").certificates()).containsExactly(renewed);
        assertThat(selected("www.test").certificates()).containsExactly(old);
        assertThat(selected("w.test").certificates()).containsExactly(old);
        assertThat(reloads)
                .containsExactlyInAnyOrder(TlsEvents.Reload.REFUSED, TlsEvents.Reload.APPLIED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tickets", "a.pem", "a.key", "ca.pem"})
    void faultIsCountedOnceAndAgainIfItComesBack(String name) throws Exception {
        files.server("a", Algorithm.ecp256, "a.test");
        files.write("tickets", "k".repeat(48));
        var file = folder.resolve(name);
        var content = Files.readString(file);
        var required =
                new TlsTerms.Clients(TlsTerms.Ask.REQUIRE, Optional.of(folder.resolve("ca.pem")));
        tls.configure(
                        terms(
                                required,
                                Optional.of(folder.resolve("tickets")),
                                pair("a").sources().getFirst()))
                .commit();

        for (int times = 1; times <= 2; times++) {
            files.write(name, "");
            assertThat(tls.check()).hasSize(1).isEqualTo(tls.check());
            assertThat(reloads).hasSize(times).containsOnly(TlsEvents.Reload.REFUSED);
            files.write(name, content);
            assertThat(tls.check()).isEmpty();
        }
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
        tls.configure(pairAndFolder("a", inner)).commit();
        Files.delete(inner.resolve("b.test.pem"));

        tls.check();

        assertThat(tls.select("b.test")).isNotNull();
        Files.createSymbolicLink(inner.resolve("self"), Path.of("."));
        inFolder.server("c.test", Algorithm.ecp256, "c.test");
        assertThat(tls.check()).isEmpty();
        assertThat(tls.select("c.test")).isNotNull();
    }

    @Test
    void folderThatCannotBeReadLeavesOtherSourcesAlone() throws Exception {
        var inner = Files.createDirectory(folder.resolve("inner"));
        var old = new PemFiles(inner).server("b.test", Algorithm.ecp256, "b.test");
        files.server("a", Algorithm.ecp256, "a.test");
        tls.configure(pairAndFolder("a", inner)).commit();
        Files.move(inner, folder.resolve("moved"));
        var renewed = files.server("a", Algorithm.ecp256, "a.test");

        assertThat(tls.check())
                .singleElement()
                .asString()
                .contains(inner + " cannot be read, the one before stays in use");

        assertThat(selected("a.test").certificates()).containsExactly(renewed);
        assertThat(selected("b.test").certificates()).containsExactly(old);
    }

    private TlsTerms pairAndFolder(String file, Path inner) {
        return terms(
                TlsTerms.NONE.clients(),
                Optional.empty(),
                pair(file).sources().getFirst(),
                new CertificateSource.Folder(inner, "*.pem", "*.key"));
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
