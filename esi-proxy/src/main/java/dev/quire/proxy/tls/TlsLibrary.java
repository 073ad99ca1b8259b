package dev.quire.proxy.tls;

import dev.quire.proxy.exchange.PlainWords;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The TLS implementation of this process: BoringSSL, or that of the JDK where it does not load. */
public final class TlsLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(TlsLibrary.class);

    /** The suites of TLS 1.2: forward secrecy and authenticated encryption only (RFC 9325 §4.2). */
    static final List<String> CIPHERS =
            List.of(
                    "TLS_AES_128_GCM_SHA256",
                    "TLS_AES_256_GCM_SHA384",
                    "TLS_CHACHA20_POLY1305_SHA256",
                    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    private TlsLibrary() {}

    /** On first use, which loads the library. */
    private static final class Holder {
        static final SslProvider PROVIDER = chosen();

        private static SslProvider chosen() {
            if (OpenSsl.isAvailable()) {
                return SslProvider.OPENSSL_REFCNT;
            }
            LOG.atInfo()
                    .addKeyValue("event", "no-boringssl")
                    .log(
                            "BoringSSL is not available, using the TLS of the JDK: {}",
                            PlainWords.of(OpenSsl.unavailabilityCause()));
            // Each costs a handshake. BoringSSL refuses them always.
            System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
            return SslProvider.JDK;
        }
    }

    /** On first use, which begins to load the library. */
    private static final class Preparation {
        static final Thread LOADING =
                Thread.ofVirtual().name("quire-tls-library").start(TlsLibrary::provider);
    }

    /** Loads the library in the background, while the rest of the configuration is read. */
    public static Thread prepare() {
        return Preparation.LOADING;
    }

    static SslProvider provider() {
        return Holder.PROVIDER;
    }

    /** {@code boringssl} or {@code jdk}. */
    public static String name() {
        return provider() == SslProvider.JDK ? "jdk" : "boringssl";
    }
}
