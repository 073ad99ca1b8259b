package dev.quire.proxy.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cli.Cli;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The configurations of docs/tls.md are valid where their files exist. */
class TlsDocumentTest {
    private static final Path DOCUMENT = Path.of("../docs/tls.md");

    private static final Pattern BLOCK =
            Pattern.compile("^```yaml\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern CERTIFICATES = Pattern.compile("folder: (\\S+),");

    /** Without those of a folder. */
    private static final Pattern FILE = Pattern.compile("(?<![*\\w/.-])[\\w/.-]+\\.(pem|crt|key)");

    private static final String SITE =
            "origins: { app: { urls: [\"http://127.0.0.1:8080\"] } }\nroutes: [ { origin: app } ]\n";

    @TempDir private Path folder;

    static Stream<String> blocks() throws IOException {
        return BLOCK.matcher(Files.readString(DOCUMENT)).results().map(block -> block.group(1));
    }

    @Test
    void allBlocksAreFound() throws IOException {
        assertThat(blocks()).hasSizeGreaterThan(6);
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void blockIsValid(String block) throws Exception {
        var pair =
                new CertificateBuilder()
                        .subject("CN=news.example")
                        .addSanDnsName("news.example")
                        .setIsCertificateAuthority(true)
                        .ecp256()
                        .buildSelfSigned();
        var whole = block.contains("routes:") ? block : block + SITE;
        var here = whole.replace("/etc/", folder + "/etc/");
        for (var name : CERTIFICATES.matcher(here).results().map(each -> each.group(1)).toList()) {
            var certbot = Path.of(name, "news.example");
            Files.createDirectories(certbot);
            Files.writeString(certbot.resolve("fullchain.pem"), pair.getCertificatePEM());
            Files.writeString(certbot.resolve("privkey.pem"), pair.getPrivateKeyPEM());
        }
        for (var name : FILE.matcher(here).results().map(MatchResult::group).toList()) {
            write(folder.resolve(name), pair);
        }

        assertThat(problemsOf(Files.writeString(folder.resolve("quire.yml"), here))).isEmpty();
    }

    private static void write(Path file, X509Bundle pair) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                file.toString().endsWith("key")
                        ? pair.getPrivateKeyPEM()
                        : pair.getCertificatePEM());
    }

    private static String problemsOf(Path file) throws InterruptedException {
        var err = new StringWriter();
        var cli =
                new Cli(
                        configuration -> {
                            throw new AssertionError("started");
                        },
                        () -> {},
                        new Cli.Machine(
                                (key, address) -> Optional.empty(),
                                configuration -> Optional.empty(),
                                variable -> null),
                        new PrintWriter(new StringWriter()),
                        new PrintWriter(err));
        int status = cli.execute("check", file.toString());
        return status == 0 ? "" : err.toString();
    }
}
