package dev.quire.it;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.jspecify.annotations.Nullable;

/** An authority, the files of certificates that it issues, and clients that trust it. */
final class Certificates {
    final Path directory;
    private final X509Bundle authority;

    Certificates(Path directory) throws Exception {
        this.directory = directory;
        this.authority =
                builder("Authority").ecp256().setIsCertificateAuthority(true).buildSelfSigned();
        Files.writeString(directory.resolve("ca.pem"), authority.getCertificatePEM());
    }

    private static CertificateBuilder builder(String name) {
        return new CertificateBuilder()
                .subject("CN=" + name)
                .notBefore(Instant.now().minus(Duration.ofDays(2)))
                .notAfter(Instant.now().plus(Duration.ofDays(2)));
    }

    X509Bundle server(boolean isRsa, String... names) throws Exception {
        var all = Arrays.stream(names).map(Certificates::alternative).toList();
        return server(isRsa, names[0], all);
    }

    /** A certificate with names of any kind, which may be none. */
    X509Bundle server(boolean isRsa, String subject, List<GeneralName> names) throws Exception {
        var builder = builder(subject).addExtendedKeyUsageServerAuth();
        if (!names.isEmpty()) {
            // The builder's own method refuses wildcards.
            var all = new GeneralNames(names.toArray(GeneralName[]::new));
            builder.addExtensionOctetString("2.5.29.17", false, all.getEncoded());
        }
        return (isRsa ? builder.rsa2048() : builder.ecp256()).buildIssuedBy(authority);
    }

    private static GeneralName alternative(String name) {
        boolean isAddress = name.matches("[0-9.]+");
        return new GeneralName(isAddress ? GeneralName.iPAddress : GeneralName.dNSName, name);
    }

    /** For a server with a certificate for {@code name}. */
    SSLContext serving(String name) throws Exception {
        var context = SSLContext.getInstance("TLS");
        var keys = server(false, name).toKeyManagerFactory();
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    X509Bundle expired(String name) throws Exception {
        return builder(name)
                .addSanDnsName(name)
                .notAfter(Instant.now().minus(Duration.ofDays(1)))
                .ecp256()
                .buildIssuedBy(authority);
    }

    X509Bundle client(String name) throws Exception {
        return builder(name).addExtendedKeyUsageClientAuth().ecp256().buildIssuedBy(authority);
    }

    /** Writes {@code bundle} to {@code name.pem} and {@code name.key}. */
    void write(String name, X509Bundle bundle) throws IOException {
        replace(directory.resolve(name + ".key"), bundle.getPrivateKeyPEM());
        replace(directory.resolve(name + ".pem"), bundle.getCertificatePathPEM());
    }

    /** Writes a new certificate for {@code names}. */
    void writeServer(String file, String... names) throws Exception {
        write(file, server(false, names));
    }

    static void replace(Path file, String text) throws IOException {
        Files.writeString(file, text);
    }

    /** The entry of {@code tls.certificates} for the files called {@code name}. */
    static String entry(String name) {
        return "{ cert: " + name + ".pem, key: " + name + ".key }";
    }

    /** A client that trusts the authority. */
    Client trusting() throws Exception {
        return new Client(null, "TLSv1.3");
    }

    /** A client that has a certificate, too. */
    Client with(X509Bundle certificate) throws Exception {
        return new Client(certificate, "TLSv1.3");
    }

    /** Connects with TLS; sessions are resumed between its connections. */
    final class Client {
        private final SSLContext context = SSLContext.getInstance("TLS");
        private final String version;

        private Client(@Nullable X509Bundle certificate, String version) throws Exception {
            this.version = version;
            var trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("ca", authority.getCertificate());
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            var keys =
                    certificate == null
                            ? new KeyManager[0]
                            : certificate.toKeyManagerFactory().getKeyManagers();
            context.init(keys, trust.getTrustManagers(), null);
        }

        /** The same client with another version of TLS. */
        Client speaking(String other) throws Exception {
            return new Client(null, other);
        }

        /** Does not resume sessions of more than a second ago. */
        Client forgettingSessions() {
            context.getClientSessionContext().setSessionTimeout(1);
            return this;
        }

        /** Connects to {@code address} and names {@code host}; no name if it is empty. */
        SSLSocket connect(InetSocketAddress address, String host, String... protocols)
                throws IOException {
            var plain = new Socket();
            plain.connect(address, 5_000);
            return over(plain, host, protocols);
        }

        /** Like {@link #connect}, on a connection that is closed with the one of TLS. */
        SSLSocket over(Socket plain, String host, String... protocols) throws IOException {
            // Names the peer by its address: sessions are resumed by address and port.
            var socket =
                    (SSLSocket)
                            context.getSocketFactory()
                                    .createSocket(
                                            plain,
                                            plain.getInetAddress().getHostAddress(),
                                            plain.getPort(),
                                            true);
            socket.setSoTimeout(5_000);
            var parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {version});
            if (!host.isEmpty()) {
                parameters.setServerNames(List.of(new SNIHostName(host)));
            }
            parameters.setApplicationProtocols(protocols);
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        }
    }

    /** The certificate that {@code socket} has got. */
    static X509Certificate received(SSLSocket socket) throws IOException {
        return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
}
