package dev.quire.proxy.config;

import dev.quire.core.text.Literal;
import dev.quire.proxy.tls.CertificateSource;
import dev.quire.proxy.tls.TlsFiles;
import dev.quire.proxy.tls.TlsTerms;
import dev.quire.proxy.tls.TlsTerms.Ask;
import dev.quire.proxy.tls.TlsTerms.Clients;
import dev.quire.proxy.tls.TlsTerms.Fallback;
import dev.quire.proxy.tls.TlsTerms.Version;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Reads {@code tls}. */
final class TlsReader {
    private static final String PATTERN = "a path below folder with one *, such as */fullchain.pem";

    private static final ValueParser<Version> VERSION =
            new ValueParser<>(
                    "1.2 | 1.3",
                    text ->
                            switch (text) {
                                case "1.2" -> Optional.of(Version.TLS_1_2);
                                case "1.3" -> Optional.of(Version.TLS_1_3);
                                default -> Optional.empty();
                            },
                    version -> version == Version.TLS_1_2 ? "1.2" : "1.3",
                    ValueForm.scalar("version", "1.2 | 1.3", "1\\.[23]"));

    private static final ValueParser<Fallback> FALLBACK =
            ValueParser.scalar(
                            "host",
                            "none, or a host that a certificate names, such as www.example.org",
                            "none|[A-Za-z0-9._:-]{1,253}",
                            TlsReader::fallback)
                    .writing(fallback ->
                            fallback instanceof Fallback.Named named ? named.host() : "none");

    private TlsReader() {}

    /** Reads the section, and all the files that it names. */
    static TlsTerms tls(Section section, Listen listen) {
        var defaults = TlsTerms.NONE;
        var listed = section.sections("certificates", TlsReader::source);
        var sources = listed.stream().flatMap(Optional::stream).toList();
        var fallback = section.optional("default", FALLBACK).orElse(defaults.fallback());
        var versions =
                Set.copyOf(section.nonEmptyList("versions", VERSION, List.of(Version.values())));
        var clients = section.section("clients", TlsReader::clients);
        var tickets = section.section("tickets", TlsReader::tickets);
        var checkEvery =
                section.value(
                        "check-every",
                        ValueParser.duration(Duration.ofSeconds(1)),
                        defaults.checkEvery());
        var user = listen.addresses().stream().filter(ClientAddress::isTls).findFirst();
        if (user.isPresent() && listed.isEmpty()) {
            section.wrong(
                    "certificates",
                    "is missing or empty, and " + user.get().key() + " needs it",
                    "a list of { cert: FILE, key: FILE }");
        }
        if (user.isEmpty() && !sources.isEmpty()) {
            section.warn(
                    "certificates", "has no effect without a listener with TLS", "listen.https");
        }
        if (fallback instanceof Fallback.Named(var host)
                && !sources.isEmpty()
                && !TlsFiles.cover(sources, host)) {
            section.wrong("default", "no certificate is for " + host, "a host of a certificate");
        }
        return new TlsTerms(
                sources,
                fallback,
                versions.isEmpty() ? EnumSet.allOf(Version.class) : versions,
                clients,
                tickets.keys(),
                tickets.rotate(),
                checkEvery);
    }

    private static Optional<Fallback> fallback(String text) {
        if (text.equals("none")) {
            return Optional.of(new Fallback.None());
        }
        var host = text.toLowerCase(Locale.ROOT);
        return Literal.isHost(host) || Literal.address(host).isPresent()
                ? Optional.of(Fallback.Named.of(host))
                : Optional.empty();
    }

    private static Optional<CertificateSource> source(Section section) {
        var folder = section.optional("folder", path(section));
        return folder.isPresent() ? folder(section, folder.get()) : pair(section);
    }

    private static Optional<CertificateSource> pair(Section section) {
        var certificate = section.required("cert", path(section));
        var key = section.required("key", path(section));
        if (certificate.isEmpty() || key.isEmpty()) {
            return Optional.empty();
        }
        var pair = new CertificateSource.Pair(certificate.get(), key.get());
        return checked(section, "cert", pair);
    }

    private static Optional<CertificateSource> folder(Section section, Path folder) {
        var pattern =
                ValueParser.matching(
                        "pattern",
                        PATTERN,
                        "[^*]*[*][^*]*",
                        text -> Optional.of(text).filter(it -> it.matches("[^*]*[*][^*]*")));
        var certificate = section.required("cert", pattern);
        var key = section.required("key", pattern);
        if (certificate.isEmpty() || key.isEmpty()) {
            return Optional.empty();
        }
        return checked(
                section,
                "folder",
                new CertificateSource.Folder(folder, certificate.get(), key.get()));
    }

    /** Returns {@code source} if its files can be used; reports each that cannot. */
    private static Optional<CertificateSource> checked(
            Section section, String key, CertificateSource source) {
        var faults = TlsFiles.faults(source);
        for (var fault : faults) {
            boolean isInKey =
                    source instanceof CertificateSource.Pair pair && fault.isIn(pair.key());
            section.wrong(isInKey ? "key" : key, fault.what(), fault.expected());
        }
        return faults.isEmpty() ? Optional.of(source) : Optional.empty();
    }

    private static Clients clients(Section section) {
        var ask = section.value("ask", ValueParser.oneOf(Ask.class), Ask.OFF);
        var trust = section.optional("trust", path(section));
        if (ask != Ask.OFF && trust.isEmpty() && !section.has("trust")) {
            section.wrong(
                    "trust",
                    "is missing, and certificates of clients are asked for",
                    "a file with the certificates of their authorities");
        }
        if (ask == Ask.OFF && trust.isPresent()) {
            section.wrong("trust", "has no effect while ask is off", "ask: request or require");
        }
        trust.flatMap(TlsFiles::faultOfAuthorities)
                .ifPresent(fault -> section.wrong("trust", fault.what(), fault.expected()));
        return new Clients(ask, trust);
    }

    private record Tickets(Optional<Path> keys, Duration rotate) {}

    private static Tickets tickets(Section section) {
        var keys = section.optional("keys", path(section));
        keys.flatMap(TlsFiles::faultOfTicketKeys)
                .ifPresent(fault -> section.wrong("keys", fault.what(), fault.expected()));
        var rotate =
                section.value(
                        "rotate",
                        ValueParser.duration(Duration.ofMinutes(1)),
                        TlsTerms.NONE.rotate());
        if (keys.isPresent() && !rotate.equals(TlsTerms.NONE.rotate())) {
            section.wrong("rotate", "has no effect beside keys", "one of the two");
        }
        return new Tickets(keys, rotate);
    }

    /** A file, whose name may be relative to the file of {@code section}. */
    static ValueParser<Path> path(Section section) {
        return ValueParser.scalar(
                "file",
                "the path of a file",
                ".+",
                text -> {
                    try {
                        return Optional.of(section.directory().resolve(text));
                    } catch (InvalidPathException e) {
                        return Optional.empty();
                    }
                });
    }
}
