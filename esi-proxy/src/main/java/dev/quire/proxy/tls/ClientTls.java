package dev.quire.proxy.tls;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.NetUtil;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;

/** Creates TLS handlers for connections to the servers of one origin. Thread-safe. */
public final class ClientTls {
    private static final int CLOSE_MILLIS = 3_000;

    private final SslContext context;
    private final OriginTls terms;

    /**
     * @throws IllegalStateException if the library refuses {@code terms}, whose files are valid
     */
    public ClientTls(OriginTls terms) {
        this.terms = terms;
        var builder = SslContextBuilder.forClient();
        configure(terms, builder);
        try {
            this.context = builder.build();
        } catch (SSLException e) {
            throw new IllegalStateException("no TLS context for a server", e);
        }
    }

    /**
     * Applies {@code terms} to {@code builder}, of a library that creates its own handlers. Their
     * engines must know the host.
     *
     * @throws IllegalStateException if the library refuses {@code terms}, whose files are valid
     */
    public static void configure(OriginTls terms, SslContextBuilder builder) {
        builder
                // Not counted: connections use it for as long as they are open.
                .sslProvider(
                        TlsLibrary.provider() == SslProvider.JDK
                                ? SslProvider.JDK
                                : SslProvider.OPENSSL)
                .protocols(TlsTerms.Version.TLS_1_2.protocol(), TlsTerms.Version.TLS_1_3.protocol())
                .ciphers(TlsLibrary.CIPHERS);
        terms.own()
                .ifPresent(own ->
                        builder.keyManager(own.key(), own.chain().toArray(X509Certificate[]::new)));
        // OriginTrust checks the names.
        builder.endpointIdentificationAlgorithm("");
        try {
            if (terms.isVerified()) {
                builder.trustManager(OriginTrust.of(terms.authorities()));
            } else {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("no TLS context for a server", e);
        }
    }

    /** Creates the handler of {@code channel}, which will connect to {@code host}. */
    public SslHandler handler(Channel channel, String host, int port) {
        var given = terms.serverName().orElse(host);
        // SNI has no final dot (RFC 6066 §3).
        var name = given.endsWith(".") ? given.substring(0, given.length() - 1) : given;
        var handler = context.newHandler(channel.alloc(), name, port);
        boolean isAddress = NetUtil.isValidIpV4Address(name) || NetUtil.isValidIpV6Address(name);
        // The JDK refuses names with an underscore, which are no host names (RFC 952): they are not
        // sent, but compared with the certificate.
        if (!isAddress && name.indexOf('_') < 0) {
            // Netty names hosts of several labels only.
            var parameters = handler.engine().getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(name)));
            handler.engine().setSSLParameters(parameters);
        }
        // Connecting has its own limit.
        handler.setHandshakeTimeoutMillis(0);
        handler.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS);
        return handler;
    }
}
