package dev.quire.proxy.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslCredential;
import io.netty.handler.ssl.OpenSslCredentialBuilder;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The certificates for a host, one for each kind of key, and the TLS contexts with them.
 * Thread-safe.
 */
public final class TlsIdentity {
    private static final char[] NO_PASSWORD = new char[0];

    private final List<ServerCertificate> certificates;
    private final Terms terms;
    private final Map<List<String>, SslContext> contexts = new ConcurrentHashMap<>();
    private TicketKeys tickets;
    private boolean isReleased;

    /** The settings that all identities share. */
    record Terms(TlsTerms section, List<X509Certificate> authorities) {}

    TlsIdentity(List<ServerCertificate> certificates, Terms terms, TicketKeys tickets) {
        this.certificates = List.copyOf(certificates);
        this.terms = terms;
        this.tickets = tickets;
    }

    List<ServerCertificate> certificates() {
        return certificates;
    }

    /** Whether all its certificates are for {@code host}: a client has got any of them. */
    public boolean covers(String host) {
        for (var each : certificates) {
            if (!each.covers(host)) {
                return false;
            }
        }
        return true;
    }

    /** Whether {@code other} asks clients for more than this identity does. */
    boolean isLaxerThan(Terms other) {
        var own = terms.section().clients().ask();
        var asked = other.section().clients().ask();
        return asked.compareTo(own) > 0
                || (asked != TlsTerms.Ask.OFF && !other.authorities().equals(terms.authorities()));
    }

    /**
     * The context for the application protocols of a listener, created on first use; null after
     * {@link #release}.
     */
    @Nullable SslContext context(List<String> protocols) {
        var present = contexts.get(protocols);
        return present == null ? add(protocols) : present;
    }

    /** Not while the keys change. */
    private synchronized @Nullable SslContext add(List<String> protocols) {
        return isReleased ? null : contexts.computeIfAbsent(protocols, this::created);
    }

    synchronized void use(TicketKeys keys) {
        tickets = keys;
        contexts.values().forEach(keys::use);
    }

    /** Releases the contexts, which no new connection uses. */
    synchronized void release() {
        isReleased = true;
        contexts.values().forEach(ReferenceCountUtil::safeRelease);
        contexts.clear();
    }

    private SslContext created(List<String> protocols) {
        var credentials = new ArrayList<OpenSslCredential>();
        try {
            var context =
                    keys(credentials)
                            .sslProvider(TlsLibrary.provider())
                            .protocols(
                                    terms.section().versions().stream()
                                            .map(TlsTerms.Version::protocol)
                                            .toList())
                            .ciphers(TlsLibrary.CIPHERS)
                            .applicationProtocolConfig(
                                    new ApplicationProtocolConfig(
                                            Protocol.ALPN,
                                            SelectorFailureBehavior.NO_ADVERTISE,
                                            SelectedListenerFailureBehavior.ACCEPT,
                                            protocols))
                            .clientAuth(
                                    switch (terms.section().clients().ask()) {
                                        case OFF -> ClientAuth.NONE;
                                        case REQUEST -> ClientAuth.OPTIONAL;
                                        case REQUIRE -> ClientAuth.REQUIRE;
                                    })
                            .trustManager(terms.authorities())
                            .enableOcsp(staple().isPresent())
                            .sessionTimeout(terms.section().rotate().toSeconds())
                            .build();
            if (context.sessionContext() instanceof OpenSslServerSessionContext sessions) {
                // Tickets only: they need no memory.
                sessions.setSessionCacheEnabled(false);
                sessions.setSessionIdContext(sessionId());
            }
            tickets.use(context);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("no TLS context for " + certificates, e);
        } finally {
            // The context retains them.
            credentials.forEach(OpenSslCredential::release);
        }
    }

    /**
     * The OCSP response that BoringSSL sends: it belongs to the last certificate, which is the one
     * of the builder. Those before it are sent without.
     */
    Optional<byte[]> staple() {
        return TlsLibrary.provider() == SslProvider.JDK
                ? Optional.empty()
                : certificates.getLast().staple();
    }

    /** The keys; what is created for the builder alone is added to {@code credentials}. */
    private SslContextBuilder keys(List<OpenSslCredential> credentials)
            throws GeneralSecurityException, IOException {
        // BoringSSL considers added credentials first, in order.
        var last = certificates.getLast().pair();
        if (certificates.size() == 1 || TlsLibrary.provider() != SslProvider.JDK) {
            var builder = SslContextBuilder.forServer(last.key(), chain(last));
            for (var each : certificates.subList(0, certificates.size() - 1)) {
                var credential =
                        OpenSslCredentialBuilder.forX509(each.pair().key(), chain(each.pair()))
                                .build();
                credentials.add(credential);
                builder.addCredential(credential);
            }
            return builder;
        }
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        for (var each : certificates) {
            store.setKeyEntry(each.kind(), each.pair().key(), NO_PASSWORD, chain(each.pair()));
        }
        var managers = KeyManagerFactory.getInstance("NewSunX509");
        managers.init(store, NO_PASSWORD);
        return SslContextBuilder.forServer(managers);
    }

    private static X509Certificate[] chain(KeyPairFiles pair) {
        return pair.chain().toArray(X509Certificate[]::new);
    }

    /** Sessions are resumed only with the same names, and the same certificates of clients. */
    private byte[] sessionId() throws GeneralSecurityException {
        var digest = MessageDigest.getInstance("SHA-256");
        for (var each : certificates) {
            digest.update(each.names().toString().getBytes(StandardCharsets.UTF_8));
        }
        digest.update(terms.section().clients().ask().name().getBytes(StandardCharsets.UTF_8));
        for (var each : terms.authorities()) {
            digest.update(each.getEncoded());
        }
        return digest.digest();
    }

    @Override
    public String toString() {
        return certificates.toString();
    }
}
