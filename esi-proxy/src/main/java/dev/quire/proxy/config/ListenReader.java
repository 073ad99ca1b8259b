package dev.quire.proxy.config;

import dev.quire.proxy.tls.TlsLibrary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads {@code listen}. */
final class ListenReader {
    private static final ValueParser<Duration> FROM_ZERO = ValueParser.duration(Duration.ZERO);
    private static final String PROTOCOLS = "protocols";
    private static final String PROXIES = "proxy-protocol";

    private ListenReader() {}

    /**
     * Reads the section.
     *
     * @param option the address for clients without TLS on the command line
     */
    static Listen listen(Section section, Optional<HostPort> option, Http2Config http2) {
        var defaults = Listen.DEFAULTS;
        var written = section.value("http", ValueParser.ADDRESS_OR_OFF, defaults.http());
        option.ifPresent(address -> section.show("http", address.toString()));
        var https = section.optional("https", ValueParser.ADDRESS);
        if (https.isPresent()) {
            TlsLibrary.prepare();
        }
        var http = option.or(() -> written);
        var taken = new ArrayList<ListenAddress>();
        http.ifPresent(taken::add);
        if (http.isPresent() && https.isPresent() && isShared(http.get(), https.get())) {
            section.wrong("https", "is also the address of listen.http", "another port");
        }
        https.ifPresent(taken::add);
        var also =
                section.sections("also", each -> also(each, taken)).stream()
                        .flatMap(Optional::stream)
                        .toList();
        boolean hasOther = https.isPresent() || !also.isEmpty();
        if (http.isEmpty() && !hasOther) {
            section.wrong("http", "is off, and there is no listen.https", "one of the addresses");
        }
        return new Listen(
                hasOther ? http : http.or(defaults::http),
                https,
                redirect(
                        section,
                        http.isPresent() || also.stream().anyMatch(each -> !each.isTls()),
                        https),
                section.value("backlog", ValueParser.number(1, 65_535), defaults.backlog()),
                section.value("keep-alive", FROM_ZERO, defaults.keepAlive()),
                section.value(
                        "max-connections-per-client",
                        ValueParser.number(0, 1_000_000),
                        defaults.maxConnectionsPerClient()),
                section.optional("default-host", ValueParser.AUTHORITY),
                section.value(
                        "half-close",
                        ValueParser.oneOf(Listen.HalfClose.class),
                        defaults.halfClose()),
                section.value(
                        "max-tunnels", ValueParser.number(0, 1_000_000), defaults.maxTunnels()),
                section.value("h2c", ValueParser.TRUTH, defaults.h2c()),
                http2,
                also,
                section.list(PROXIES, ValueParser.NETWORK, List.of()));
    }

    private static Listen.Redirect redirect(
            Section section, boolean hasClear, Optional<HostPort> https) {
        var redirect =
                section.value(
                        "redirect",
                        ValueParser.oneOf(Listen.Redirect.class),
                        Listen.DEFAULTS.redirect());
        if (redirect == Listen.Redirect.HTTPS && https.isEmpty()) {
            section.wrong("redirect", "has no effect without listen.https", "listen.https as well");
        } else if (redirect == Listen.Redirect.HTTPS && !hasClear) {
            section.wrong("redirect", "has no effect without listen.http", "listen.http as well");
        } else if (redirect == Listen.Redirect.HTTPS && https.get().port() == 0) {
            section.wrong("redirect", "needs the port of listen.https", "listen.https with a port");
        }
        return redirect;
    }

    /**
     * Reads a member of {@code also}.
     *
     * @param taken the addresses that are already in use; receives its address
     */
    private static Optional<ClientAddress> also(Section section, List<ListenAddress> taken) {
        var address = section.required("address", ValueParser.LISTEN_ADDRESS);
        boolean isTls = section.value("tls", ValueParser.TRUTH, false);
        var protocols = protocols(section, isTls);
        var proxies = section.list(PROXIES, ValueParser.NETWORK, List.of());
        if (address.isEmpty()) {
            return Optional.empty();
        }
        if (taken.stream().anyMatch(other -> isShared(other, address.get()))) {
            section.wrong("address", "is also the address of another listener", "another address");
        }
        taken.add(address.get());
        return Optional.of(
                new ClientAddress(ClientAddress.ALSO, address.get(), isTls, protocols, proxies));
    }

    private static Set<ListenProtocol> protocols(Section section, boolean isTls) {
        var fallback = List.copyOf(ClientAddress.defaultProtocols(isTls));
        var written =
                section.nonEmptyList(PROTOCOLS, ValueParser.oneOf(ListenProtocol.class), fallback);
        if (!section.has(PROTOCOLS) || written.isEmpty()) {
            return EnumSet.copyOf(fallback);
        }
        var protocols = new HashSet<>(written);
        if (!isTls && protocols.contains(ListenProtocol.H2)) {
            section.wrong(PROTOCOLS, "has h2, which needs TLS", "tls: true, or h2c in its place");
        }
        if (isTls && protocols.contains(ListenProtocol.H2C)) {
            section.wrong(
                    PROTOCOLS, "has h2c, which is without TLS", "tls: false, or h2 in its place");
        }
        return protocols;
    }

    /** Whether both are the same address; each port 0 is another one. */
    static boolean isShared(ListenAddress one, ListenAddress other) {
        return one.equals(other) && !(one instanceof HostPort host && host.port() == 0);
    }
}
