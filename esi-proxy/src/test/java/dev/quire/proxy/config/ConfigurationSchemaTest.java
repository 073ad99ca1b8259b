package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The schema accepts what the reader accepts, and rejects mistakes of form. */
class ConfigurationSchemaTest {
    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private static final Schema SCHEMA = REGISTRY.getSchema(ConfigurationSchema.text());

    private static final Path DOCS = Path.of("../docs");
    private static final Pattern YAML_BLOCK =
            Pattern.compile("^```yaml\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern ROOT_KEY = Pattern.compile("^([a-z-]+):", Pattern.MULTILINE);

    /** Texts of which each notation accepts some. */
    private static final List<String> TEXTS =
            List.of(
                    ("0 1 2 7 16 64 200 4096 65535 1000000 007 0s 1ms 0ms 00s 200ms 15s 5m 1h 8760h 8761h"
                                    + " 0B 1B 64KiB 16MiB 1GiB 1048576GiB 9999999999GiB 0 1MiB/s 64MiB/s 1GiB/s 0B/s 64MiB/m 0% 20% 100% 101% 1e3"
                                    + " true false on off html none websocket 404 5xx client text a.b 10.0 a A b-c_d"
                                    + " 127.0.0.1:8080 [::1]:8080 localhost:0 ::1 ::1/128 10.0.0.0/8 127.0.0.1"
                                    + " http://a HTTP://A:81/ http://[::1]:81 https://a http://a/b / /a/**"
                                    + " /img/*.png /health?x=1 * *.example.org www.example.org a_b.c example.org:80"
                                    + " text/html application/xhtml+xml connect.sid *auth* a!#$%&'*+.^_`|~- esi_"
                                    + " quire q.*-_ stderr ./access.log /var/log a/b.yml conf.d/*.yml *.yml"
                                    + " X-Forwarded-Host forwarded X-Real-IP least-requests round-robin key auto"
                                    + " stamped answer gone pass store esi all ignore honour omit fail standard"
                                    + " redis standalone fleet log serve GET PURGE"
                                    + " http https 301 404 5xx 500-504 5/s 100/m misses"
                                    + " $2y$05$abcdefghijklmnopqrstuupx2xBUC4954936wVIjyyPHmUBFu0wCW"
                                    + " 1.2 1.3 request require */fullchain.pem akamai json combined keep drop log send slow errors problems random client http1 unix:/a/b")
                            .split(" "));

    @Test
    void itIsAValidSchema() {
        var draft =
                REGISTRY.getSchema(
                        SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));

        assertThat(draft.validate(ConfigurationSchema.text(), InputFormat.JSON)).isEmpty();
        assertThat(draft.validate("{\"type\": \"objekt\"}", InputFormat.JSON)).isNotEmpty();
    }

    @Test
    void itAcceptsTheDefaults() throws IOException {
        assertThat(errors(Files.readString(Path.of("src/test/resources/config/defaults.yaml"))))
                .isEmpty();
    }

    @Test
    void itAcceptsTheExamplesOfTheDocuments() throws IOException {
        var examples = examples();

        assertThat(examples).hasSizeGreaterThan(5);
        assertThat(examples).allSatisfy(example -> assertThat(errors(example)).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "x-a: { anything: [1, 2] }",
                "x-grace: &grace 5s~cache: { grace: *grace }",
                "x-cache: &cache { grace: 5s }~cache: { <<: *cache, heuristic: false }",
                "include: conf.d/*.yml",
                "include: [a.yml, conf.d/*.yml]",
                "listen: { backlog: '${BACKLOG:16}', http: '${HOST}:8080' }",
                "cache: { heuristic: '${HEURISTIC:true}', memory: '${SIZE:64}MiB' }",
                "trusted: ['${PROXIES}']",
                "cache:",
                "routes:",
                "admin: { probes: null, token-file: null }",
                "diagnostics: null",
                "limits: { body: 0 }",
                "esi: { variables: { a: text, b: 1, c: true, d: { key: text, other: 2 } } }",
                "origins: { a: { urls: ['http://a', { url: 'http://b', weight: 2 }] } }",
                "origins: { 1: { urls: ['http://a'] } }",
                // An included file may have the members.
                "origins: {}",
                "routes: []",
                "rules: { request: [{ cookies: { keep: [] } }] }",
                "rules: { request: [], response: null }",
            })
    void itAcceptsEveryWayToWriteAValue(String yaml) {
        assertThat(errors(yaml)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "esy: {}; /",
                "cache: { grase: 5s }; /cache",
                "cache: { grace: 5 }; /cache/grace",
                "cache: { grace: 5 s }; /cache/grace",
                "cache: { grace: [5s] }; /cache/grace",
                "cache: { grace: }; /cache/grace",
                "cache: { memory: 512MB }; /cache/memory",
                "cache: { compress: brotli }; /cache/compress",
                "cache: { heuristic: yes }; /cache/heuristic",
                "cache: [1]; /cache",
                "listen: { backlog: 0 }; /listen/backlog",
                "listen: { backlog: many }; /listen/backlog",
                "listen: { http: 8080 }; /listen/http",
                "origins: { a: { } }; /origins/a",
                "origins: { a: { urls: 'http://a' } }; /origins/a/urls",
                "origins: { a: { urls: ['ftp://a'] } }; /origins/a/urls/0",
                "origins: { a: { urls: [{ weight: 1 }] } }; /origins/a/urls/0",
                "origins: { a: { urls: ['http://a'], idle-timeout: -1s } }; /origins/a/idle-timeout",
                "origins: { a: { urls: ['http://a'], connect-timeout: 0s } }; /origins/a/connect-timeout",
                "origins: { 'a b': { urls: ['http://a'] } }; /origins",
                "routes: { origin: a }; /routes",
                "routes: [{ path: / }]; /routes/0",
                "routes: [{ origin: a, path: news }]; /routes/0/path",
                "routes: [{ origin: a, limits: { boddy: 1 } }]; /routes/0/limits",
                "include: { a: b }; /include",
                "trusted: 10.0.0.0/8; /trusted",
                "esi: { variables: { 1a: text } }; /esi/variables",
                "origins: { a: { urls: [] } }; /origins/a/urls",
                "rules: { request: [{ match: {}, deny: 403 }] }; /rules/request/0/match",
                "rules: { request: [{ match: null, deny: 403 }] }; /rules/request/0/match",
                "rules: { request: [{ when: null, deny: 403 }] }; /rules/request/0/when",
                "rules: { request: [{ match: { not: {} }, deny: 403 }] }; /rules/request/0/match/not",
                "rules: { request: [{ match: { cookie: {} }, deny: 403 }] }; /rules/request/0/match/cookie",
                "rules: { request: [{ match: { header: null }, deny: 403 }] }; /rules/request/0/match/header",
                "rules: { request: [{ match: { header: { A: [] } }, deny: 403 }] }; /rules/request/0/match/header/A",
                "rules: { request: [{ match: { path: [] }, deny: 403 }] }; /rules/request/0/match/path",
                "rules: { request: [{ match: { trusted: null }, deny: 403 }] }; /rules/request/0/match/trusted",
                "rules: { request: [{ cookies: {} }] }; /rules/request/0/cookies",
                "rules: { request: [{ cookies: { drop: [] } }] }; /rules/request/0/cookies/drop",
                "rules: { request: [{ query: null }] }; /rules/request/0/query",
                "rules: { request: [{ auth: { users: {} } }] }; /rules/request/0/auth/users",
                "rules: { response: [{ match: {}, ttl: 5s }] }; /rules/response/0/match",
                "rules: { deliver: [{ unset: [] }] }; /rules/deliver/0/unset",
            })
    void itRejectsMistakes(String yaml, String place) {
        assertThat(errors(yaml))
                .isNotEmpty()
                .allMatch(error -> error.startsWith(place.equals("/") ? ":" : place));
    }

    /** Otherwise an editor would mark a valid value. */
    @Test
    void everyTextThatANotationAcceptsMatchesItsForm() {
        var accepted =
                ConfigurationReader.keys().stream()
                        .filter(key -> key.notation().isPresent())
                        .filter(key -> !key.path().endsWith("token-file"))
                        .filter(key -> !key.path().matches("shared[.](password|key)-file"))
                        .filter(key -> !key.path().endsWith(".respond.file"))
                        .filter(key -> !key.path().endsWith(".when"))
                        .collect(
                                Collectors.toMap(
                                        Key::path,
                                        key -> accepted(key.notation().get()),
                                        (a, b) -> a));

        assertThat(accepted).allSatisfy((path, texts) -> assertThat(texts).isNotEmpty());
        for (var key : ConfigurationReader.keys()) {
            if (key.notation().isPresent()) {
                var form = JsonMapper.shared().writeValueAsString(key.form().schema());
                var schema = REGISTRY.getSchema(form);
                for (var text : accepted(key.notation().get())) {
                    var value = key.kind() == Key.Kind.NAMES ? text(text) : scalar(text);
                    assertThat(schema.validate(value))
                            .describedAs("%s: %s", key.path(), text)
                            .isEmpty();
                }
            }
        }
    }

    @Test
    void everyKeyIsDescribed() {
        var schema = JsonMapper.shared().readTree(ConfigurationSchema.text());

        assertThat(schema.at("/properties/cache/properties/grace/description").asString())
                .isEqualTo(Objects.requireNonNull(KeyNote.all().get("cache.grace")).text());
        assertThat(schema.at("/properties/cache/properties/grace/default").asString())
                .isEqualTo("10s");
        assertThat(schema.at("/properties/listen/properties/backlog/default").asInt())
                .isEqualTo(4096);
    }

    private static List<String> accepted(ValueParser<?> notation) {
        return TEXTS.stream().filter(text -> notation.reading().apply(text).isPresent()).toList();
    }

    private static List<String> errors(String yaml) {
        return SCHEMA.validate(json(yaml.replace('~', '\n'))).stream()
                .map(ConfigurationSchemaTest::text)
                .toList();
    }

    private static String text(Error error) {
        return error.getInstanceLocation() + ": " + error.getMessage();
    }

    private static JsonNode json(String yaml) {
        var settings = LoadSettings.builder().setSchema(new CoreSchema()).build();
        return JsonMapper.shared().valueToTree(new Load(settings).loadFromString(yaml));
    }

    /** A text as YAML reads it without quotation marks, where it can be a value without them. */
    private static JsonNode scalar(String text) {
        try {
            var value = json(text);
            return value.isContainer() ? text(text) : value;
        } catch (YamlEngineException e) {
            return text(text);
        }
    }

    private static JsonNode text(String name) {
        return JsonMapper.shared().valueToTree(name);
    }

    /** The blocks of YAML whose keys are those of a configuration, not of Spring or Compose. */
    private static List<String> examples() throws IOException {
        var roots = ConfigurationReader.keys().stream().map(Key::path).collect(Collectors.toSet());
        try (var files = Files.list(DOCS)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .flatMap(ConfigurationSchemaTest::blocks)
                    .filter(block ->
                            ROOT_KEY
                                    .matcher(block)
                                    .results()
                                    .map(it -> it.group(1))
                                    .toList()
                                    .stream()
                                    .anyMatch(roots::contains))
                    .toList();
        }
    }

    private static Stream<String> blocks(Path file) {
        try {
            return YAML_BLOCK.matcher(Files.readString(file)).results().map(it -> it.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
