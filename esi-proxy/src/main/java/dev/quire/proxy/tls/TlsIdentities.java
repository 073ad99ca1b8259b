package dev.quire.proxy.tls;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Selects the certificates for the name that a client sends (RFC 6066 §3). Immutable. */
final class TlsIdentities {
    static final TlsIdentities NONE = new TlsIdentities(Map.of(), null);

    private final Map<String, TlsIdentity> byName;
    private final @Nullable TlsIdentity fallback;

    private TlsIdentities(Map<String, TlsIdentity> byName, @Nullable TlsIdentity fallback) {
        this.byName = byName;
        this.fallback = fallback;
    }

    /**
     * @param before those to keep if their certificates are the same
     * @param terms of all
     */
    static TlsIdentities of(
            Collection<ServerCertificate> certificates,
            TlsIdentities before,
            TlsIdentity.Terms terms,
            TicketKeys tickets,
            Instant now) {
        var made = new HashMap<List<ServerCertificate>, TlsIdentity>();
        for (var each : before.all()) {
            made.put(each.certificates(), each);
        }
        var names = new LinkedHashSet<String>();
        certificates.forEach(each -> names.addAll(each.names()));
        var byName = new HashMap<String, TlsIdentity>();
        for (var name : names) {
            byName.put(
                    name,
                    made.computeIfAbsent(
                            ofEachKind(certificates, name, now),
                            list -> new TlsIdentity(list, terms, tickets)));
        }
        return new TlsIdentities(
                Map.copyOf(byName), fallback(terms.section().fallback(), certificates, byName));
    }

    private static @Nullable TlsIdentity fallback(
            TlsTerms.Fallback fallback,
            Collection<ServerCertificate> certificates,
            Map<String, TlsIdentity> byName) {
        return switch (fallback) {
            case TlsTerms.Fallback.None none -> null;
            case TlsTerms.Fallback.Named named -> find(byName, named.host());
            case TlsTerms.Fallback.Single single -> {
                // RSA and ECDSA for the same names are one certificate in this sense.
                var names = new HashSet<Set<String>>();
                certificates.forEach(each -> names.add(Set.copyOf(each.names())));
                yield names.size() == 1 ? byName.get(certificates.iterator().next().name()) : null;
            }
        };
    }

    /**
     * One certificate of each kind for {@code name}, invalid ones only if there are no others;
     * those that list it come first.
     */
    private static List<ServerCertificate> ofEachKind(
            Collection<ServerCertificate> certificates, String name, Instant now) {
        var candidates =
                certificates.stream()
                        .filter(each -> each.names().contains(name) || each.covers(name))
                        .toList();
        boolean hasValid = candidates.stream().anyMatch(each -> each.isValid(now));
        var kinds = new HashSet<String>();
        var chosen = new ArrayList<ServerCertificate>();
        candidates.stream()
                .filter(each -> !hasValid || each.isValid(now))
                .sorted(Comparator.comparing(each -> !each.names().contains(name)))
                .filter(each -> kinds.add(each.kind()))
                .forEach(chosen::add);
        // Handshakes with other keys than RSA take less time.
        chosen.sort(Comparator.comparing(each -> each.kind().equals("RSA")));
        return chosen;
    }

    private static @Nullable TlsIdentity find(Map<String, TlsIdentity> byName, String name) {
        var exact = byName.get(name);
        return exact == null ? byName.get(CertificateNames.wildcard(name)) : exact;
    }

    /**
     * Returns the identity for {@code name}, or null if the handshake must fail.
     *
     * @param name as the client sent it; null if it sent none
     */
    @Nullable TlsIdentity select(@Nullable String name) {
        var found = name == null ? null : find(byName, name.toLowerCase(Locale.ROOT));
        return found == null ? fallback : found;
    }

    /** Whether a certificate lists {@code name}. */
    boolean names(String name) {
        return byName.containsKey(name);
    }

    /** All identities, each once. */
    Set<TlsIdentity> all() {
        return new HashSet<>(byName.values());
    }
}
