package dev.quire.proxy.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Checks the certificates of servers: their chain by the JDK, and their names by {@link
 * CertificateNames}. The JDK also accepts names of the subject and parts of labels, which RFC 9525
 * forbids, and refuses hosts with an underscore. Thread-safe.
 */
final class OriginTrust extends X509ExtendedTrustManager {

    /** The beginning of the message if a certificate is for other names. */
    static final String OTHER_NAMES = "certificate for other names";

    private final X509ExtendedTrustManager chains;

    private OriginTrust(X509ExtendedTrustManager chains) {
        this.chains = chains;
    }

    /**
     * @param authorities those that may issue certificates; empty for those of the system
     */
    static OriginTrust of(List<X509Certificate> authorities) throws GeneralSecurityException {
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(authorities.isEmpty() ? null : store(authorities));
        return Arrays.stream(managers.getTrustManagers())
                .filter(X509ExtendedTrustManager.class::isInstance)
                .map(X509ExtendedTrustManager.class::cast)
                .findFirst()
                .map(OriginTrust::new)
                .orElseThrow(() -> new GeneralSecurityException("no trust manager for X.509"));
    }

    private static KeyStore store(List<X509Certificate> authorities)
            throws GeneralSecurityException {
        try {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < authorities.size(); i++) {
                store.setCertificateEntry(Integer.toString(i), authorities.get(i));
            }
            return store;
        } catch (IOException impossible) {
            throw new GeneralSecurityException(impossible);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        chains.checkServerTrusted(chain, authType, engine);
        var host = engine.getPeerHost().toLowerCase(Locale.ROOT);
        var names = CertificateNames.of(chain[0]);
        if (!names.cover(host)) {
            throw new CertificateException(
                    OTHER_NAMES + ": it is for " + names + ", not for " + host);
        }
    }

    /** Without a name to check, nothing is trusted. */
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        throw unnamed();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        throw unnamed();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        throw unnamed();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        throw unnamed();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        throw unnamed();
    }

    private static CertificateException unnamed() {
        return new CertificateException("expected the connection of a client with its host");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return chains.getAcceptedIssuers();
    }
}
