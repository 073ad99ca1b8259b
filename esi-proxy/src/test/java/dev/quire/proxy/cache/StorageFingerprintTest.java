package dev.quire.proxy.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.OperatorLifetime;
import dev.quire.core.policy.Settings;
import dev.quire.core.rule.ResponseRules;
import dev.quire.proxy.route.EsiProcessing;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The settings that are part of the keys of records, and those that a reload compares. */
class StorageFingerprintTest {
    private static final OperatorLifetime OPERATOR =
            new OperatorLifetime(
                    Optional.of(Duration.ofSeconds(1)),
                    Optional.of(Duration.ofSeconds(2)),
                    Optional.of(Duration.ofSeconds(3)),
                    Optional.of(Duration.ofSeconds(4)));
    private static final Settings SETTINGS = Settings.DEFAULT.with(OPERATOR);
    private static final DocumentRules DOCUMENTS =
            new DocumentRules(
                    Set.of("text/html", "text/plain", "application/xml", "text/xml"),
                    new ReferenceResolver(Set.of("cdn.test", "img.test", "a.test", "b.test")),
                    1_000,
                    20,
                    ParseOptions.STANDARD,
                    false);
    private static final RouteCacheRules ROUTE = route(SETTINGS, EsiProcessing.AUTO, DOCUMENTS);

    /** Settings of the rules that do not decide about storing, by name. */
    private static final Set<String> UNDECISIVE =
            Set.of("staleIfSlow", "route", "author", "keepsSource", "parsing", "phase", "storage");

    private static RouteCacheRules route(
            Settings settings, EsiProcessing esi, DocumentRules documents) {
        return new RouteCacheRules(settings, esi, documents, 5_000, "route");
    }

    /** A route that differs from another one by one setting. */
    private record Change(String setting, RouteCacheRules route, boolean isOfParsing) {}

    /** One change of each component, of which the type tells the other value. */
    private static List<Change> changes() {
        var all = new ArrayList<Change>();
        for (var component : Settings.class.getRecordComponents()) {
            if (component.getType() != OperatorLifetime.class) {
                var changed = (Settings) changed(SETTINGS, component);
                all.add(
                        new Change(
                                component.getName(),
                                route(changed, EsiProcessing.AUTO, DOCUMENTS),
                                component.getName().equals("deviceToken")));
            }
        }
        for (var component : OperatorLifetime.class.getRecordComponents()) {
            var changed = SETTINGS.with((OperatorLifetime) changed(OPERATOR, component));
            all.add(
                    new Change(
                            "operator." + component.getName(),
                            route(changed, EsiProcessing.AUTO, DOCUMENTS),
                            false));
        }
        for (var component : DocumentRules.class.getRecordComponents()) {
            var changed = (DocumentRules) changed(DOCUMENTS, component);
            all.add(
                    new Change(
                            "documents." + component.getName(),
                            route(SETTINGS, EsiProcessing.AUTO, changed),
                            true));
        }
        for (var component : ParseOptions.class.getRecordComponents()) {
            if (!component.getName().equals("tags")) {
                var markup = (ParseOptions) changed(ParseOptions.STANDARD, component);
                var changed =
                        new DocumentRules(
                                DOCUMENTS.contentTypes(),
                                DOCUMENTS.resolver(),
                                DOCUMENTS.maxBytes(),
                                DOCUMENTS.maxIncludes(),
                                markup,
                                DOCUMENTS.isStrict());
                all.add(
                        new Change(
                                "markup." + component.getName(),
                                route(SETTINGS, EsiProcessing.AUTO, changed),
                                true));
            }
        }
        for (var esi : EsiProcessing.values()) {
            if (esi != EsiProcessing.AUTO) {
                all.add(new Change("esi=" + esi, route(SETTINGS, esi, DOCUMENTS), true));
            }
        }
        all.add(
                new Change(
                        "maxObjectBytes",
                        new RouteCacheRules(
                                SETTINGS, EsiProcessing.AUTO, DOCUMENTS, 5_001, "route"),
                        false));
        return all;
    }

    @TestFactory
    Stream<DynamicTest> everySettingThatDecidesChangesTheKey() {
        return changes().stream()
                .map(change ->
                        DynamicTest.dynamicTest(
                                change.setting(),
                                () -> {
                                    boolean isSame = of(change.route()).equals(of(ROUTE));

                                    assertThat(isSame)
                                            .isEqualTo(UNDECISIVE.contains(change.setting()));
                                }));
    }

    @TestFactory
    Stream<DynamicTest> reloadComparesTheSettingsForParsingAlone() {
        return changes().stream()
                .map(change ->
                        DynamicTest.dynamicTest(
                                change.setting(),
                                () ->
                                        assertThat(change.route().parsing().equals(ROUTE.parsing()))
                                                .isEqualTo(!change.isOfParsing())));
    }

    /** Otherwise a new setting of a route would be neither in the key nor known not to decide. */
    @Test
    void everyComponentOfTheRulesIsChangedOrKnownNotToDecide() {
        var covered = Set.of("settings", "esi", "documents", "maxObjectBytes");

        assertThat(RouteCacheRules.class.getRecordComponents())
                .extracting(RecordComponent::getName)
                .allMatch(name -> covered.contains(name) || UNDECISIVE.contains(name));
    }

    @Test
    void nameOfTheRouteAndWishesOfARequestLeaveTheKey() {
        var named = new RouteCacheRules(SETTINGS, EsiProcessing.AUTO, DOCUMENTS, 5_000, "other");
        var asking =
                ROUTE.asking(
                        new AuthorLifetime(Optional.of(Duration.ZERO), Optional.empty()), true);

        assertThat(of(named)).isEqualTo(of(ROUTE));
        assertThat(of(asking)).isEqualTo(of(ROUTE));
    }

    @Test
    void textOfResponseRulesChangesTheKey() {
        var rules = new ResponseRules(List.of(), "- { ttl: 5s }");

        assertThat(StorageFingerprint.of(ROUTE, rules, CacheHouse.REQUESTS))
                .isNotEqualTo(of(ROUTE));
    }

    @Test
    void whatTheOriginIsAskedChangesTheKey() {
        var other = RecordHash.of(List.of("other requests"));

        assertThat(StorageFingerprint.of(ROUTE, ResponseRules.NONE, other)).isNotEqualTo(of(ROUTE));
    }

    /** Sets have another order in each process. */
    @Test
    void keyIsTheSameInEveryProcess() throws Exception {
        for (int i = 0; i < 3; i++) {
            var process =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "-XX:TieredStopAtLevel=1",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    StorageFingerprintTest.class.getName())
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            var said = new String(process.getInputStream().readAllBytes(), UTF_8);

            assertThat(said.strip()).isEqualTo(key().toString());
            assertThat(process.waitFor()).isZero();
        }
    }

    /** Prints a key. */
    public static void main(String[] arguments) {
        System.out.println(key());
    }

    private static RecordKey key() {
        return RecordKey.of(CacheHouse.PAGE, of(ROUTE));
    }

    private static RecordHash of(RouteCacheRules route) {
        return StorageFingerprint.of(route, ResponseRules.NONE, CacheHouse.REQUESTS);
    }

    private static Object changed(Record before, RecordComponent which) {
        var components = before.getClass().getRecordComponents();
        try {
            var values = new Object[components.length];
            for (int i = 0; i < values.length; i++) {
                var value = components[i].getAccessor().invoke(before);
                values[i] = components[i].getName().equals(which.getName()) ? other(value) : value;
            }
            var types = Arrays.stream(components).map(RecordComponent::getType);
            return before.getClass()
                    .getDeclaredConstructor(types.toArray(Class<?>[]::new))
                    .newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("cannot change " + which, e);
        }
    }

    private static Object other(Object value) {
        return switch (value) {
            case Duration time -> time.plusSeconds(1);
            case Boolean flag -> !flag;
            case String text -> text + "x";
            case Long number -> number + 1;
            case Integer number -> number + 1;
            case Optional<?> time -> Optional.of(((Duration) time.orElseThrow()).plusSeconds(1));
            case Set<?> ignored -> Set.of("application/json");
            case ReferenceResolver ignored -> new ReferenceResolver(Set.of("cdn.test"));
            case ParseOptions ignored -> ParseOptions.STANDARD.in(ParseOptions.SourceFormat.JSON);
            case ParseOptions.SourceFormat ignored -> ParseOptions.SourceFormat.JSON;
            case Dialect ignored -> Dialect.AKAMAI;
            case Escape ignored -> Escape.HTML;
            default -> throw new AssertionError("no other value is known for " + value);
        };
    }
}
