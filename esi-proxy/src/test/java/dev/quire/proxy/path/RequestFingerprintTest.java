package dev.quire.proxy.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.rule.RequestRule;
import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.route.OriginSettings;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The settings of requests to origins that are part of the keys of records. */
class RequestFingerprintTest {
    private static final String RULE = "{ name: edition, set: { X-Edition: de } }";
    private static final String CONDITIONAL =
            "{ name: edition, match: { path: /de/** }, set: { X-Edition: de } }";
    private static final String CHOSEN =
            "{ name: edition, match: { path: /de/** }, origin: chosen }";
    private static final String FILE =
            """
            origins:
              app: { urls: ["https://127.0.0.1:8081"] }
              chosen: { urls: ["https://127.0.0.1:8082"] }
              other: { urls: ["https://127.0.0.1:8083"] }
            routes: [ { host: news.example, origin: app } ]
            rules:
              request: [ %s ]
            """
                    .formatted(RULE);

    @TempDir private Path directory;

    /** A change of {@link #FILE}: another text in place of one. */
    record Change(String before, String after) {
        String in(String file) {
            assertThat(file).contains(before);
            return file.replace(before, after);
        }

        @Override
        public String toString() {
            return after;
        }
    }

    private static Change rules(String rules) {
        return new Change(RULE, rules);
    }

    private RecordHash of(String yaml) throws Exception {
        return of(configuration(yaml));
    }

    private static RecordHash of(Configuration configuration) {
        return RequestFingerprint.of(configuration, configuration.routes().getFirst());
    }

    private Configuration configuration(String yaml) throws Exception {
        return Configuration.check(Files.writeString(directory.resolve("quire.yml"), yaml));
    }

    private static Stream<Change> decisive() {
        return Stream.of(
                rules("{ name: edition, set: { X-Edition: fr } }"),
                rules("{ name: version, set: { X-Edition: de } }"),
                rules("{ name: edition, add: { X-Edition: de } }"),
                rules("{ name: edition, unset: X-Edition }"),
                rules(CONDITIONAL),
                rules(CONDITIONAL.replace("/de/", "/fr/")),
                rules(CHOSEN),
                rules(CHOSEN.replace("chosen", "other")),
                rules(""),
                rules(RULE + ", { cookies: { keep: lang } }"),
                rules(RULE + ", { query: { drop: lang } }"),
                rules(RULE + ", { path: /de }"),
                rules(RULE + ", { host: de.example }"),
                rules(RULE + ", { cache: pass }"),
                rules(RULE + ", { key: \"{header.lang}\" }"),
                rules(RULE + ", { var: { lang: de } }"),
                rules(RULE + ", { match: { path: /de/** }, last: true }"),
                rules(RULE + ", { match: { path: /de/** }, deny: 403, last: true }"),
                rules(RULE + ", { name: more, set: { X-More: de } }"),
                rules("{ name: more, set: { X-More: de } }, " + RULE),
                new Change("origin: app", "origin: other"),
                new Change("origin: app", "origin: app, client-cert: true"),
                new Change("8081\"]", "8081\"], host: de.example"),
                new Change("8081\"]", "8081\"], via: off"),
                new Change("8081\"]", "8081\"], tls: { server-name: de.example }"),
                new Change(
                        "rules:",
                        "variants: { secret: 0123456789abcdef0123456789abcdef }\nrules:"));
    }

    @ParameterizedTest
    @MethodSource("decisive")
    void whatTheOriginIsAskedChangesIt(Change change) throws Exception {
        assertThat(of(change.in(FILE))).isNotEqualTo(of(FILE));
    }

    private static Stream<Change> undecisive() {
        return Stream.of(
                rules(RULE + ", { deny: 403 }"),
                rules(RULE + ", { deny: 410, match: { path: /old/** } }"),
                rules(RULE + ", { redirect: { to: /new }, match: { path: /old/** } }"),
                rules(RULE + ", { respond: { status: 200, body: ok }, match: { path: /ping } }"),
                rules(RULE + ", { limit: { rate: 10/s } }"),
                rules("{ name: \"edition\", set: {X-Edition: \"de\"} } # as before\n "),
                new Change("127.0.0.1:8081", "10.0.0.1"),
                new Change("8081\"]", "8081\", \"https://10.0.0.1\"], balance: random"),
                new Change("8081\"]", "8081\"], first-byte-timeout: 3s, retries: 0"),
                new Change("8083\"]", "8083\"], host: de.example, via: off"),
                new Change("  other:", "  more: { urls: [\"http://10.0.0.1\"] }\n  other:"),
                new Change("origin: app }", "origin: app, stale-if-slow: 3s, hints: off }"),
                new Change("origin: app }", "origin: app }, { path: /de, origin: other }"),
                new Change("rules:", "cache: { memory: 16MiB }\nrules:"),
                new Change("rules:", "rules:\n  deliver: [ { set: { X-Edition: de } } ]"));
    }

    @ParameterizedTest
    @MethodSource("undecisive")
    void otherSettingsDoNotChangeIt(Change change) throws Exception {
        assertThat(of(change.in(FILE))).isEqualTo(of(FILE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"host: de.example", "via: off", "tls: { server-name: de.example }"})
    void settingsOfAnOriginThatARuleChoosesChangeIt(String setting) throws Exception {
        var file = rules(CHOSEN).in(FILE);

        assertThat(of(new Change("8082\"]", "8082\"], " + setting).in(file)))
                .isNotEqualTo(of(file));
    }

    /** Two rules without names are told apart by their positions, and so are their keys. */
    @Test
    void positionOfARuleWithoutANameChangesIt() throws Exception {
        var unnamed = "{ match: { path: /de/** }, set: { X-Edition: de } }";

        assertThat(of(rules("{ deny: 403 }, " + unnamed).in(FILE)))
                .isNotEqualTo(of(rules(unnamed).in(FILE)));
    }

    /** Proxies compare that hash. */
    @Test
    void nodesWithAnotherOriginForARouteAreUnlike() throws Exception {
        var other = FILE.replace("origin: app", "origin: other");

        assertThat(ProxyParts.storedBy(configuration(other)))
                .isNotEqualTo(ProxyParts.storedBy(configuration(FILE)));
    }

    /**
     * Otherwise a new setting of an origin or a rule would be neither in it nor known not to be.
     */
    @Test
    void componentsAreInItOrKnownNotToDecide() {
        assertThat(OriginSettings.class.getRecordComponents())
                .extracting(RecordComponent::getName)
                .hasSameElementsAs(
                        Set.of(
                                "name",
                                "urls",
                                "balance",
                                "deadlines",
                                "maxConnections",
                                "maxQueue",
                                "queueTimeout",
                                "retries",
                                "health",
                                "sendsVia",
                                "tls",
                                "host"));
        assertThat(RequestRule.class.getRecordComponents())
                .extracting(RecordComponent::getName)
                .hasSameElementsAs(
                        Set.of(
                                "name",
                                "audience",
                                "condition",
                                "groups",
                                "variables",
                                "fields",
                                "cookies",
                                "query",
                                "path",
                                "host",
                                "origin",
                                "passes",
                                "key",
                                "isUnkeyed",
                                "ending",
                                "isLast"));
    }
}
