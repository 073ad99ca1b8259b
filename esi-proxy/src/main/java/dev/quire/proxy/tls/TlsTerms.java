package dev.quire.proxy.tls;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The {@code tls} section: how clients are served with TLS.
 *
 * @param sources of the certificates; empty without a listener with TLS
 * @param fallback the certificate for clients that name no host, or an unknown one
 * @param versions at least one
 * @param ticketKeys the file of the keys of session tickets; without it they are random
 * @param rotate how long a random key is used for new tickets
 * @param checkEvery how often the files are read again
 */
public record TlsTerms(
        List<CertificateSource> sources,
        Fallback fallback,
        Set<Version> versions,
        Clients clients,
        Optional<Path> ticketKeys,
        Duration rotate,
        Duration checkEvery) {

    /** No certificates. */
    public static final TlsTerms NONE =
            new TlsTerms(
                    List.of(),
                    new Fallback.Single(),
                    Set.of(Version.TLS_1_2, Version.TLS_1_3),
                    new Clients(Ask.OFF, Optional.empty()),
                    Optional.empty(),
                    Duration.ofHours(12),
                    Duration.ofSeconds(10));

    public TlsTerms {
        sources = List.copyOf(sources);
        versions = Set.copyOf(versions);
    }

    /** A version of TLS. */
    public enum Version {
        TLS_1_2("TLSv1.2"),
        TLS_1_3("TLSv1.3");

        private final String protocol;

        Version(String protocol) {
            this.protocol = protocol;
        }

        /** Its name in the JDK. */
        public String protocol() {
            return protocol;
        }
    }

    /** The certificate for clients that name no host, or an unknown one. */
    public sealed interface Fallback {
        /** The only certificate; with several, none. */
        record Single() implements Fallback {}

        /** None: the handshake fails. */
        record None() implements Fallback {}

        /**
         * The certificate for a host.
         *
         * @param host in lower case
         */
        record Named(String host) implements Fallback {
            /** For a name or an address in any of its forms. */
            public static Named of(String host) {
                return new Named(CertificateNames.shown(host.toLowerCase(Locale.ROOT)));
            }
        }
    }

    /** Whether clients are asked for certificates. */
    public enum Ask {
        OFF,
        /** A client may have one; if so it must be valid. */
        REQUEST,
        REQUIRE
    }

    /**
     * The certificates of clients.
     *
     * @param trust the file of the authorities that issue them; present unless {@code ask} is off
     */
    public record Clients(Ask ask, Optional<Path> trust) {}
}
