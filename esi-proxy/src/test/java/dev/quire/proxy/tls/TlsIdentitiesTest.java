package dev.quire.proxy.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsIdentitiesTest {
    private static final TicketKeys TICKETS = TicketKeys.random();

    @TempDir private Path folder;
    private PemFiles files;

    @BeforeEach
    void start() throws Exception {
        files = new PemFiles(folder);
    }

    private static TlsIdentities of(TlsTerms.Fallback fallback, ServerCertificate... all) {
        var terms =
                new TlsTerms(
                        List.of(),
                        fallback,
                        TlsTerms.NONE.versions(),
                        TlsTerms.NONE.clients(),
                        TlsTerms.NONE.ticketKeys(),
                        TlsTerms.NONE.rotate(),
                        TlsTerms.NONE.checkEvery());
        return TlsIdentities.of(
                List.of(all),
                TlsIdentities.NONE,
                new TlsIdentity.Terms(terms, List.of()),
                TICKETS,
                Instant.now());
    }

    private static List<ServerCertificate> selected(TlsIdentities in, @Nullable String name) {
        var found = in.select(name);
        return found == null ? List.of() : found.certificates();
    }

    @Test
    void anExactNameComesBeforeAWildcard() throws Exception {
        var wide = files.server("wide", Algorithm.ecp256, "*.a.test");
        var exact = files.server("exact", Algorithm.ecp256, "www.a.test");
        var identities = of(new TlsTerms.Fallback.Single(), wide, exact);

        assertThat(selected(identities, "www.a.test")).containsExactly(exact);
        assertThat(selected(identities, "WWW.A.Test")).containsExactly(exact);
        assertThat(selected(identities, "img.a.test")).containsExactly(wide);
    }

    @Test
    void aWildcardIsOneLabel() throws Exception {
        var identities =
                of(
                        new TlsTerms.Fallback.None(),
                        files.server("wide", Algorithm.ecp256, "*.a.test"));

        for (var other : List.of("a.test", "b.c.a.test", ".a.test.", "test", "", "xa.test")) {
            assertThat(selected(identities, other)).as(other).isEmpty();
        }
    }

    /** The order in which the files are listed must not decide what clients get. */
    @Test
    void aValidCertificateComesBeforeAnInvalidOneForTheSameName() throws Exception {
        var valid = files.server("valid", Algorithm.ecp256, "a.test");
        var day = Duration.ofDays(1);
        var old = files.valid("old", Instant.now().minus(day.multipliedBy(9)), day, "a.test");
        var early = files.valid("early", Instant.now().plus(day), day, "a.test");

        for (var listed : List.of(List.of(old, early, valid), List.of(valid, old, early))) {
            var identities =
                    of(new TlsTerms.Fallback.Single(), listed.toArray(ServerCertificate[]::new));
            assertThat(selected(identities, "a.test")).containsExactly(valid);
        }
    }

    /** The kind that is preferred may be the one that has expired. */
    @Test
    void anInvalidCertificateIsNotSelectedBesideAValidOneOfAnotherKind() throws Exception {
        var valid = files.server("valid", Algorithm.rsa2048, "a.test");
        var day = Duration.ofDays(1);
        var old = files.valid("old", Instant.now().minus(day.multipliedBy(9)), day, "a.test");

        assertThat(selected(of(new TlsTerms.Fallback.Single(), old, valid), "a.test"))
                .containsExactly(valid);
        assertThat(selected(of(new TlsTerms.Fallback.Single(), old), "a.test"))
                .containsExactly(old);
    }

    /** A client that has got one of the certificates may not have got the other. */
    @Test
    void anIdentityIsForHostsOfAllItsCertificates() throws Exception {
        var both = files.server("both", Algorithm.ecp256, "a.test", "b.test");
        var one = files.server("one", Algorithm.rsa2048, "a.test");

        var identity =
                Objects.requireNonNull(
                        of(new TlsTerms.Fallback.None(), both, one).select("a.test"));

        assertThat(identity.covers("a.test")).isTrue();
        assertThat(identity.covers("b.test")).isFalse();
    }

    @Test
    void anAddressIsTheSameInAllItsForms() throws Exception {
        var local = files.server("local", Algorithm.ecp256, "::1");
        var other = files.server("other", Algorithm.ecp256, "a.test");
        assertThat(local.names()).containsExactly("::1");

        var identities = of(TlsTerms.Fallback.Named.of("0:0:0:0:0:0:0:1"), local, other);

        assertThat(selected(identities, null)).containsExactly(local);
        assertThat(local.covers("0:0:0:0:0:0:0:1")).isTrue();
    }

    @Test
    void theOnlyCertificateIsForAllOtherNames() throws Exception {
        var only = files.server("only", Algorithm.ecp256, "a.test");

        var identities = of(new TlsTerms.Fallback.Single(), only);

        assertThat(selected(identities, "b.test")).containsExactly(only);
        assertThat(selected(identities, null)).containsExactly(only);
    }

    @Test
    void withSeveralCertificatesNoneIsForOtherNames() throws Exception {
        var a = files.server("a", Algorithm.ecp256, "a.test");
        var b = files.server("b", Algorithm.ecp256, "b.test");

        var identities = of(new TlsTerms.Fallback.Single(), a, b);

        assertThat(selected(identities, "c.test")).isEmpty();
        assertThat(selected(identities, null)).isEmpty();
        assertThat(selected(of(new TlsTerms.Fallback.Named("b.test"), a, b), null))
                .containsExactly(b);
    }

    @Test
    void certificatesOfTwoKindsForTheSameNamesAreOneAndRsaComesLast() throws Exception {
        var rsa = files.server("rsa", Algorithm.rsa2048, "a.test", "b.test");
        var ec = files.server("ec", Algorithm.ecp256, "b.test", "a.test");

        var identities = of(new TlsTerms.Fallback.Single(), rsa, ec);

        assertThat(selected(identities, "a.test")).containsExactly(ec, rsa);
        assertThat(selected(identities, null)).containsExactly(ec, rsa);
        assertThat(identities.all()).hasSize(1);
    }

    @Test
    void anIdentityOfTheSameCertificatesIsKept() throws Exception {
        var a = files.server("a", Algorithm.ecp256, "a.test");
        var b = files.server("b", Algorithm.ecp256, "b.test");
        var terms = new TlsIdentity.Terms(TlsTerms.NONE, List.of());
        var before =
                TlsIdentities.of(List.of(a), TlsIdentities.NONE, terms, TICKETS, Instant.now());

        var after = TlsIdentities.of(List.of(a, b), before, terms, TICKETS, Instant.now());

        assertThat(after.select("a.test")).isSameAs(before.select("a.test"));
        assertThat(after.names("b.test")).isTrue();
        assertThat(before.names("b.test")).isFalse();
    }
}
