package dev.quire.proxy.config;

import dev.quire.core.text.Literal;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.tls.KeyPairFiles;
import dev.quire.proxy.tls.OriginTls;
import dev.quire.proxy.tls.UnusableFile;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/** Reads {@code tls} of an origin, and the files that it names. */
final class OriginTlsReader {
    private static final String KEY = "tls";

    private static final ValueParser<String> SERVER_NAME =
            ValueParser.scalar(
                    "host",
                    "a host name, such as shop.internal",
                    "[A-Za-z0-9._-]{1,253}",
                    text -> Optional.of(text).filter(Literal::isHost));

    private OriginTlsReader() {}

    static OriginTls tls(Section origin, String name, List<OriginSettings.Url> urls) {
        var tls = origin.section(KEY, OriginTlsReader::read);
        if (!tls.equals(OriginTls.DEFAULTS) && urls.stream().noneMatch(OriginSettings.Url::isTls)) {
            origin.wrong(KEY, "has no effect without a URL with https", "a URL with https");
        }
        if (!tls.isVerified()) {
            origin.warn(
                    KEY,
                    "the certificates of origin " + name + " are not checked",
                    "verify: full, with ca if its authority is not one of the system");
        }
        return tls;
    }

    private static OriginTls read(Section section) {
        var isVerified = section.value("verify", ValueParser.eitherOf("full", "none"), true);
        var authorities = section.optional("ca", TlsReader.path(section));
        var certificate = section.optional("cert", TlsReader.path(section));
        var key = section.optional("key", TlsReader.path(section));
        if (!isVerified && authorities.isPresent()) {
            section.wrong("ca", "has no effect with verify: none", "verify: full");
        }
        if (certificate.isPresent() != key.isPresent()) {
            section.wrong(
                    certificate.isPresent() ? "cert" : "key",
                    "is given alone",
                    "cert and key, the certificate of this proxy and its key");
        }
        return new OriginTls(
                authorities.map(file -> authorities(section, file)).orElse(List.of()),
                section.optional("server-name", SERVER_NAME),
                certificate.isPresent() && key.isPresent()
                        ? own(section, certificate.get(), key.get())
                        : Optional.empty(),
                isVerified);
    }

    private static List<X509Certificate> authorities(Section section, Path file) {
        try {
            return KeyPairFiles.authorities(file);
        } catch (UnusableFile fault) {
            section.wrong("ca", fault.what(), fault.expected());
            return List.of();
        }
    }

    private static Optional<KeyPairFiles> own(Section section, Path certificate, Path key) {
        try {
            return Optional.of(KeyPairFiles.read(certificate, key));
        } catch (UnusableFile fault) {
            section.wrong(fault.isIn(key) ? "key" : "cert", fault.what(), fault.expected());
            return Optional.empty();
        }
    }
}
