package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.quire.core.rule.Audience;
import dev.quire.core.rule.EndingAction;
import dev.quire.core.rule.RequestRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The actions {@code limit}, {@code auth} and {@code deny}. */
class AccessReaderTest {
    private static final String HASH =
            "$2y$05$abcdefghijklmnopqrstuupx2xBUC4954936wVIjyyPHmUBFu0wCW";

    @TempDir Path directory;

    @Test
    void limitHasDefaults() throws Exception {
        var rule = rule("name: search, limit: { rate: 90/m }");

        assertThat(rule.audience()).isEqualTo(Audience.CLIENT);
        var limit = ((EndingAction.Limit) Objects.requireNonNull(rule.ending())).limit();
        assertThat(limit.name()).isEqualTo("search");
        assertThat(limit.by()).hasToString("{client.ip}");
        assertThat(limit.perSecond()).isEqualTo(1.5);
        assertThat(limit.burst()).isEqualTo(90);
        assertThat(limit.onlyMisses()).isFalse();
    }

    @Test
    void limitHasItsValues() throws Exception {
        var rule =
                rule(
                        "for: both, limit: { by: '{header.x-key} {path}', rate: 3600/h, burst: 7,"
                                + " only: misses, name: api }");

        assertThat(rule.audience()).isEqualTo(Audience.BOTH);
        var limit = ((EndingAction.Limit) Objects.requireNonNull(rule.ending())).limit();
        assertThat(limit.name()).isEqualTo("api");
        assertThat(limit.by()).hasToString("{header.x-key} {path}");
        assertThat(limit.perSecond()).isEqualTo(1);
        assertThat(limit.burst()).isEqualTo(7);
        assertThat(limit.onlyMisses()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "limit: {}; limit.rate: is missing",
                "limit: { rate: 5 }; limit.rate: invalid value '5'",
                "limit: { rate: 0/s }; limit.rate: invalid value '0/s'",
                "limit: { rate: 5/d }; limit.rate: invalid value '5/d'",
                "limit: { rate: 0.5/s }; limit.rate: invalid value '0.5/s'",
                "limit: { rate: 1000001/s }; limit.rate: invalid value",
                "limit: { rate: 5/s, burst: 0 }; limit.burst: invalid value '0'",
                "limit: { rate: 5/s, only: hits }; limit.only: invalid value 'hits'",
                "limit: { rate: 5/s, by: '{client.id}' }; limit.by: ",
                "limit: { rate: 5/s, by: '{status}' }; limit.by: reads 'status'",
                "limit: { rate: 5/s }, deny: 403; limit: cannot be combined with deny",
                "limit: 5/s; limit: is a single value (expected a mapping)",
                "deny: 401; deny: invalid value '401' (expected a status from 400 to 599, but not",
                "deny: 407; deny: invalid value '407'",
                "deny: 200; deny: invalid value '200'",
                "auth: {}; auth.file: is missing (expected file or users)",
                "auth: { file: missing }; auth.file: does not exist",
                "auth: { file: . }; auth.file: is not a file",
                "auth: { users: {} }; auth.users: has no valid user",
                "auth: { users: { 'a:b': x } }; auth.users.a:b: 'a:b' is not a valid name",
                "auth: { users: { a: S3CRET } }; auth.users.a: is not a bcrypt hash (expected a hash",
                "auth: { users: { a: '{SHA}S3CRET=' } }; auth.users.a: is not a bcrypt hash",
                "auth: { users: { a: x }, realm: 'é' }; auth.realm: invalid value 'é'",
                "auth: { users: { a: x }, file: f }; auth.file: cannot be combined with users"
            })
    void mistakesAreReported(String rule, String message) {
        assertThat(problems(rule))
                .anyMatch(problem -> problem.contains("rules.request[0]." + message))
                .noneMatch(problem -> problem.contains("S3CRET"));
    }

    @Test
    void passwordFileIsRead() throws Exception {
        Files.writeString(
                directory.resolve("users"),
                "# members\r\n\nanna:" + HASH + "\r\n  bert:" + HASH.replace("2y", "2b") + "\n");

        var rule = rule("auth: { realm: Members, file: users, forward: true }");

        assertThat(rule.audience()).isEqualTo(Audience.BOTH);
        var credentials =
                ((EndingAction.Login) Objects.requireNonNull(rule.ending())).credentials();
        assertThat(credentials.realm()).isEqualTo("Members");
        assertThat(credentials.forwards()).isTrue();
        assertThat(credentials.hashes()).containsOnlyKeys("anna", "bert");
        assertThat(credentials.hashOf("anna").text()).isEqualTo(HASH);
    }

    @Test
    void eachFaultOfAPasswordFileHasItsLineAndNoTextOfIt() throws Exception {
        Files.writeString(
                directory.resolve("users"),
                """
                S3CRET1
                anna:S3CRET2
                :%1$s
                bert:$apr1$S3CRET3$x
                cara:%1$s
                cara:%1$s
                dora:$2y$20$S3CRET4
                """
                        .formatted(HASH));

        var problems = problems("auth: { file: users }");

        assertThat(problems)
                .hasSize(6)
                .allMatch(problem -> problem.contains("rules.request[0].auth.file: line "))
                .noneMatch(problem -> problem.contains("S3CRET") || problem.contains(HASH));
        assertThat(problems.get(0))
                .contains("line 1 has no name before a colon (expected NAME:HASH on each line, a")
                .contains("htpasswd -B");
        assertThat(problems.get(1)).contains("line 2 has no bcrypt hash");
        assertThat(problems.get(2)).contains("line 3 has no name before a colon");
        assertThat(problems.get(3)).contains("line 4 has no bcrypt hash");
        assertThat(problems.get(4)).contains("line 6 names a user again");
        assertThat(problems.get(5)).contains("line 7 has no bcrypt hash");
    }

    @Test
    void aPipeIsNotOpened() throws Exception {
        assertThat(
                        new ProcessBuilder("mkfifo", directory.resolve("pipe").toString())
                                .start()
                                .waitFor())
                .isZero();

        assertThat(
                        assertTimeoutPreemptively(
                                Duration.ofSeconds(20), () -> problems("auth: { file: pipe }")))
                .singleElement()
                .asString()
                .endsWith("auth.file: is not a file (expected a readable file of htpasswd -B)");
    }

    @Test
    void emptyOrHugePasswordFileIsRefused() throws Exception {
        var file = directory.resolve("users");
        Files.writeString(file, "# none\n");
        assertThat(problems("auth: { file: users }"))
                .singleElement()
                .asString()
                .contains("no users");

        Files.write(file, new byte[(1 << 20) + 1]);
        assertThat(problems("auth: { file: users }")).singleElement().asString().contains("1MiB");
    }

    @Test
    void hashesAreMaskedWhereTheConfigurationIsShown() throws Exception {
        var yaml = yaml("auth: { users: { anna: '" + HASH + "' } }");

        assertThat(SecretMask.masked(yaml)).contains("anna").doesNotContain(HASH);
        assertThat(read(yaml).toString()).doesNotContain(HASH);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Authorization", "X-Api-Key", "x-service-token", "Client_Secret"})
    void secretsInFieldsAreMaskedWhereTheConfigurationIsShown(String field) throws Exception {
        var yaml =
                yaml(
                        "match: { header: { %s: [sesame-1, sesame-2] } }, set: { %s: Bearer sesame-3 }"
                                .formatted(field, field));

        assertThat(SecretMask.masked(yaml)).contains(field).doesNotContain("sesame");
        assertThat(shown(yaml)).contains(field).doesNotContain("sesame");
    }

    @Test
    void secretsInAliasedValuesAreMaskedOnceAtTheirAnchor() throws Exception {
        var yaml =
                """
                x-login: &login { users: { anna: '%s' } }
                x-key: &key sesame-1
                x-set: &set { X-Api-Key: *key, Authorization: sesame-2 }
                origins: { a: { urls: ['http://a'] } }
                routes: [{ origin: a }]
                rules:
                  request:
                    - { match: { path: /a }, auth: *login }
                    - { match: { path: /b }, auth: *login }
                    - { set: *set }
                    - { set: { <<: *set, X-Api-Key: *key } }
                    - { set: { <<: { Client_Secret: sesame-3 }, Client_Secret: sesame-4 } }
                # The end.
                """
                        .formatted(HASH);
        read(yaml);

        assertThat(SecretMask.masked(yaml))
                .isEqualTo(
                        yaml.replace("'" + HASH + "'", "\"***\"")
                                .replaceAll("sesame-\\d", "\"***\""));
    }

    @Test
    void anyNumberOfAliasesIsMasked() throws Exception {
        var yaml =
                "x-to: &to { origin: a }\n"
                        + yaml("set: { X-Api-Key: sesame-1 }")
                                .replace("{ origin: a }]", "{ <<: *to }, ".repeat(51) + "]");
        read(yaml);

        assertThat(SecretMask.masked(yaml)).isEqualTo(yaml.replace("sesame-1", "\"***\""));
    }

    private static String shown(String yaml) throws Exception {
        return EffectiveText.of(
                ConfigurationReader.shown(
                        Options.NONE, Optional.of(ConfigurationText.of("a", yaml)), name -> null));
    }

    private RequestRule rule(String rule) throws Exception {
        var rules = read(yaml(rule)).rules().request();
        return Objects.requireNonNull(rules.named(rules.names().getFirst()));
    }

    private List<String> problems(String rule) {
        var yaml = yaml(rule);
        var failure = catchThrowableOfType(InvalidConfiguration.class, () -> read(yaml));
        assertThat(failure).as(rule).isNotNull();
        return failure.problems().stream().map(Problem::toString).toList();
    }

    private static String yaml(String rule) {
        return "origins: { a: { urls: ['http://a'] } }\nroutes: [{ origin: a }]\n"
                + "rules: { request: [{ "
                + rule
                + " }] }\n";
    }

    private Configuration read(String yaml) throws InvalidConfiguration {
        var file = directory.resolve("quire.yml");
        try {
            Files.writeString(file, yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Configuration.check(file);
    }
}
