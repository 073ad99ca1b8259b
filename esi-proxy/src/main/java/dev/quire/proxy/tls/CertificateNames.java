package dev.quire.proxy.tls;

import dev.quire.core.text.Literal;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The hosts that a certificate is for: those of its subjectAltName, never its subject (RFC 9525
 * §2). All in lower case.
 *
 * @param hosts names, and {@code *.NAME}
 * @param addresses in the form of RFC 5952
 */
record CertificateNames(List<String> hosts, List<String> addresses) {
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    CertificateNames {
        hosts = List.copyOf(hosts);
        addresses = List.copyOf(addresses);
    }

    /** The names of {@code certificate}; empty if it has none or they are malformed. */
    static CertificateNames of(X509Certificate certificate) {
        var hosts = new ArrayList<String>();
        var addresses = new ArrayList<String>();
        try {
            var alternatives = certificate.getSubjectAlternativeNames();
            for (var each : alternatives == null ? List.<List<?>>of() : alternatives) {
                if (each.get(1) instanceof String name) {
                    if (Objects.equals(each.getFirst(), DNS_NAME)) {
                        hosts.add(name.toLowerCase(Locale.ROOT));
                    } else if (Objects.equals(each.getFirst(), IP_ADDRESS)) {
                        addresses.add(shown(name));
                    }
                }
            }
        } catch (CertificateParsingException malformed) {
            return new CertificateNames(List.of(), List.of());
        }
        return new CertificateNames(hosts, addresses);
    }

    /** All, the names first. */
    List<String> all() {
        var all = new ArrayList<>(hosts);
        all.addAll(addresses);
        return List.copyOf(all);
    }

    /**
     * Whether they contain {@code host}, in lower case and without port or brackets (RFC 9525 §6).
     * A wildcard matches one whole label.
     */
    boolean cover(String host) {
        var address = Literal.address(host);
        return address.isPresent()
                ? addresses.contains(shown(address.get()))
                : hosts.contains(host) || hosts.contains(wildcard(host));
    }

    /** The wildcard that covers {@code host}. */
    static String wildcard(String host) {
        int dot = host.indexOf('.');
        return dot < 0 ? "*." : "*" + host.substring(dot);
    }

    /** The form in which an address is compared; other texts stay. */
    static String shown(String text) {
        return Literal.address(text).map(CertificateNames::shown).orElse(text);
    }

    private static String shown(InetAddress address) {
        return NetUtil.toAddressString(address);
    }

    @Override
    public String toString() {
        return all().toString();
    }
}
