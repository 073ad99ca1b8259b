package dev.quire.it;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x509.GeneralName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The names of origins' certificates, compared as RFC 9525 requires. */
class OriginNamesIT {
    @TempDir private Path directory;

    private static List<GeneralName> names(@Nullable String listed) {
        return listed == null
                ? List.of()
                : Arrays.stream(listed.split(" "))
                        .map(each -> {
                            var name = each.split(":", 2);
                            return new GeneralName(
                                    switch (name[0]) {
                                        case "ip" -> GeneralName.iPAddress;
                                        case "mail" -> GeneralName.rfc822Name;
                                        default -> GeneralName.dNSName;
                                    },
                                    name[1]);
                        })
                        .toList();
    }

    private String ask(String subject, @Nullable String listed, String name) throws Exception {
        var certificates = new Certificates(directory);
        var certificate = certificates.server(false, subject, names(listed));
        var context = SSLContext.getInstance("TLS");
        context.init(certificate.toKeyManagerFactory().getKeyManagers(), null, null);
        var origin =
                HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        origin.setHttpsConfigurator(new HttpsConfigurator(context));
        origin.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(200, 6);
                    exchange.getResponseBody().write("secure".getBytes(US_ASCII));
                    exchange.close();
                });
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            origin.setExecutor(threads);
            origin.start();
            try (var proxy =
                    ReloadableProxy.start(
                            directory,
                            yaml("https://127.0.0.1:" + origin.getAddress().getPort(), name))) {
                var response = proxy.get("/");
                return response.status() == 200 ? "" : proxy.ask("/v1/stats").text();
            } finally {
                origin.stop(0);
            }
        }
    }

    private static String yaml(String url, String name) {
        return """
        listen: { http: "127.0.0.1:0" }
        admin: { address: "127.0.0.1:0" }
        cache: { memory: 64MiB }
        origins:
          o: { urls: ["%s"], tls: { ca: ca.pem%s } }
        routes: [ { path: "/**", origin: o, ttl: 0s } ]
        """
                .formatted(url, name.isEmpty() ? "" : ", server-name: \"" + name + "\"");
    }

    @ParameterizedTest
    @CsvSource({
        "a.test, dns:a.test, a.test",
        "other, dns:A.Test, a.TEST",
        "other, dns:*.a.test, www.a.test",
        "other, dns:my_service, my_service",
        "other, dns:b.test dns:a.test, a.test",
        "other, ip:127.0.0.1, ''"
    })
    void certificateWithTheNameIsAccepted(String subject, String listed, String name)
            throws Exception {
        assertThat(ask(subject, listed, name)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "a.test, , a.test",
        "a.test, ip:127.0.0.1, a.test",
        "a.test, mail:a@a.test, a.test",
        "other, dns:w*w.a.test, www.a.test",
        "other, dns:*.a.test, b.www.a.test",
        "other, dns:*.a.test, a.test",
        "other, dns:*, a",
        "other, dns:127.0.0.1, ''",
        "other, ip:127.0.0.2, ''"
    })
    void certificateWithoutTheNameIsRefused(String subject, @Nullable String listed, String name)
            throws Exception {
        assertThat(ask(subject, listed, name))
                .contains("its certificate is for other names")
                .contains("\"tlsFault\"");
    }
}
