package dev.quire.it;

import dev.quire.core.http.Scheme;
import dev.quire.core.rule.Rules;
import dev.quire.proxy.config.CheckedFile;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.config.RuleTest;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.TestClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * An example of the documents with scripted origins in place of its own. A test's client is named
 * by a trusted proxy on this machine, as is its scheme. Only clients of a file with rules about
 * trust that are not trusted themselves connect directly, without an address of their own.
 */
final class ExampleSite implements AutoCloseable {
    private static final Pattern URL = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");
    private static final Pattern TRUSTED = Pattern.compile("(?m)^trusted: \\[");
    private static final Pattern USERS = Pattern.compile("users: \\{[^}]*\\}");

    private static final String SETTINGS =
            """
            log: { access: off }
            cache: { memory: 16MiB }
            diagnostics: [0.0.0.0/0, "::/0"]
            """;

    /** The user of the tests, whose name is the password. */
    private static final String USER =
            "users: { e: \"$2y$04$om4UPuh2xrTTWNpZqcmjR.78LkBIISCfKXO2HVTMzoOP1XdW/NqBO\" }";

    final TestClock clock = TestClock.handSet();
    private final List<Origin> origins = new ArrayList<>();
    private final Map<Origin, String> names = new LinkedHashMap<>();
    private final boolean hasRulesOfTrust;
    private final CheckedFile file;
    private final Configuration behindProxy;
    private final Configuration direct;

    /**
     * One request to an origin.
     *
     * @param name of the origin
     */
    record Asked(String name, Origin origin, ReceivedRequest request) {}

    private ExampleSite(Path example, Path directory) throws Exception {
        for (var beside : beside(example)) {
            Files.copy(beside, directory.resolve(beside.getFileName()));
        }
        var given = Files.readString(example);
        hasRulesOfTrust = given.contains("trusted: false") || given.contains("trusted: true");
        var replaced = new LinkedHashMap<String, Origin>();
        var text =
                URL.matcher(given)
                        .replaceAll(found -> {
                            var origin =
                                    replaced.computeIfAbsent(
                                            found.group(), url -> Origin.start(clock));
                            return origin.url().toString();
                        });
        origins.addAll(replaced.values());
        text = USERS.matcher(text).replaceAll(found -> USER.replace("$", "\\$"));
        text = text + SETTINGS;
        var believing = TRUSTED.matcher(text).replaceFirst("trusted: [127.0.0.1, ");
        if (believing.equals(text)) {
            believing = text + "trusted: [127.0.0.1]\n";
        }
        file = CheckedFile.of(write(directory, "checked.yml", text), warning -> {});
        direct = configuration(directory.resolve("checked.yml"));
        behindProxy = configuration(write(directory, "trusting.yml", believing));
        for (var settings : direct.origins().values()) {
            origins.stream()
                    .filter(origin -> isServer(settings, origin))
                    .forEach(origin -> names.put(origin, settings.name()));
        }
    }

    /** Starts the origins of {@code example}; {@code directory} is for its changed copies. */
    static ExampleSite of(Path example, Path directory) throws Exception {
        return new ExampleSite(example, directory);
    }

    private static List<Path> beside(Path example) throws Exception {
        try (var files = Files.list(example.resolveSibling("."))) {
            return files.filter(file -> !file.toString().endsWith(".yml")).toList();
        }
    }

    private static Path write(Path directory, String name, String text) throws Exception {
        return Files.writeString(directory.resolve(name), text);
    }

    private static Configuration configuration(Path file) throws Exception {
        return Configuration.of(
                Options.NONE.withFile(file).withListen("127.0.0.1:0").withAdmin("127.0.0.1:0"));
    }

    private static boolean isServer(OriginSettings settings, Origin origin) {
        return settings.urls().stream().anyMatch(url -> url.url().equals(origin.url()));
    }

    List<RuleTest> tests() {
        return file.tests();
    }

    Rules rules() {
        return file.configuration().rules();
    }

    /** Whether the client of {@code test} connects without a proxy in between. */
    boolean isDirect(RuleTest test) {
        return hasRulesOfTrust
                && test.request().scheme() == Scheme.HTTP
                && !direct.trust().trusts(test.client());
    }

    Configuration configuration(RuleTest test) {
        return isDirect(test) ? direct : behindProxy;
    }

    /** Answers all requests with the result of {@code answer}. */
    void answer(Function<ReceivedRequest, Answer> answer) {
        origins.forEach(origin -> origin.otherwise(answer));
    }

    /** Clears the recorded requests. */
    void forget() {
        origins.forEach(Origin::forget);
    }

    /** The recorded requests, by origin and in their order. */
    List<Asked> asked() {
        return names.entrySet().stream()
                .flatMap(entry ->
                        entry.getKey().requests().stream()
                                .map(request ->
                                        new Asked(entry.getValue(), entry.getKey(), request)))
                .toList();
    }

    @Override
    public void close() {
        origins.forEach(Origin::close);
    }
}
