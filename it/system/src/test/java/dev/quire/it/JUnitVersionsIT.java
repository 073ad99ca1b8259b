package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.RequestHead;
import dev.quire.proxy.Proxy;
import dev.quire.spring.EsiFragment;
import dev.quire.test.EsiSite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Uses the harness from a repository, in a separate project. One test class gives the same results
 * with each version of JUnit, each way of assembling and of opening the site. A program without a
 * test framework can use the harness too. The project is in {@code src/test/resources/versions}.
 */
// A thread that reads a pipe cannot be interrupted: it ends with the process.
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JUnitVersionsIT {
    private static final Path PROJECTS = Path.of("src/test/resources/versions");

    /** Versions for a site opened by hand: all. */
    private static final List<String> BY_HAND =
            List.of("MockMvcByHandTest", "LivePortByHandTest", "ProxyByHandTest");

    /** Versions for the site of Spring's extension, which needs Jupiter 6. */
    private static final List<String> BY_SPRING =
            List.of("MockMvcBySpringTest", "LivePortBySpringTest", "ProxyBySpringTest");

    /** The expected failures of that class: the heads of the messages, word for word. */
    private static final Map<String, String> EXPECTED =
            new TreeMap<>(
                    Map.ofEntries(
                            passed("pageIsWhole"),
                            passed("fragmentIsAskedForOnceInItsLifetime"),
                            passed("lifetimeIsTheDeclaredOne"),
                            passed("faultOfAFragmentStaysInIt"),
                            passed("changeIsSeenAtOnce"),
                            passed("invalidationReachesTheFragmentAlone"),
                            passed("nothingLeaks"),
                            passed("innerTestHasTheSiteToo"),
                            failed(
                                    "wrongHeading",
                                    "expected / to have the text \"Sale\" in h1",
                                    "  expected: \"Sale\"",
                                    "  seen:     \"Shop\""),
                            failed(
                                    "wrongRequests",
                                    "expected / to request /live from the application 2 times",
                                    "  expected: 2 times",
                                    "  seen:     once"),
                            failed(
                                    "wrongLifetime",
                                    "expected /live to be fresh for 60s",
                                    "  expected: a hit until 60s after it was fetched",
                                    "  seen:     already fetched again at 59.999s"),
                            failed(
                                    "wrongFault",
                                    "expected a part of / to have failed",
                                    "  expected: a failed fragment",
                                    "  seen:     no failure"),
                            failed(
                                    "wrongInvalidation",
                                    "expected invalidating live to refetch / only",
                                    "  expected: /",
                                    "  seen:     /live"),
                            failed(
                                    "wrongReader",
                                    "findings in 1 public response, requested by anonymous, reader-a, reader-b",
                                    "leak[SECRET]: /greeting shows one reader's secret to everyone: a secret of reader-a, a secret of reader-b"),
                            failed(
                                    "unknownName",
                                    "'nothing' is neither a path nor a handler of the application"),
                            failed(
                                    "clockOfNobody",
                                    "advance(PT1M) would have no effect: no site, proxy or origin uses the clock created at ShopPages.java")));

    /** The lines after the first of a message that are the same for all sites. */
    private static final Pattern HEAD = Pattern.compile("( {2}expected: | {2}seen: {5}|leak\\[).*");

    private static final int HEAD_LINES = 3;

    /** The version in the file name of a Jupiter jar. */
    private static final Pattern JUPITER =
            Pattern.compile("junit-jupiter-(?:api|engine)-([^/\\\\]+)\\.jar");

    @TempDir static Path folder;

    private static OwnRepository repository;

    @BeforeAll
    static void install() throws Exception {
        repository =
                OwnRepository.at(folder.resolve("repository"))
                        .with("quire-core", "esi-core", RequestHead.class)
                        .with("quire-proxy", "esi-proxy", Proxy.class)
                        .with("quire-spring-boot-starter", "spring-starter", EsiFragment.class)
                        .with("quire-test", "it/harness", EsiSite.class);
    }

    @Test
    void oneTestClassGivesTheSameVerdictsOnEveryVersion() throws Exception {
        var builds = new LinkedHashMap<String, Future<Path>>();
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var version : List.of("5.14.4", "6.0.3", "6.1.3")) {
                builds.put(version, executor.submit(() -> tested(version)));
            }
        }
        var classes = new LinkedHashMap<String, byte[]>();

        for (var build : builds.entrySet()) {
            var version = build.getKey();
            var project = build.getValue().get();
            for (var way : waysOn(version)) {
                assertThat(verdicts(project, way)).as("%s on %s", way, version).isEqualTo(EXPECTED);
                assertThat(jupiter(project, way))
                        .as("%s on %s: JUnit's jars", way, version)
                        .containsExactly(version);
                assertThat(waterfall(project, way, "wrongHeading"))
                        .as("%s on %s", way, version)
                        .contains("<html", "/live");
            }
            classes.put(
                    version,
                    Files.readAllBytes(
                            project.resolve(
                                    "target/test-classes/com/example/shop/ShopPages.class")));
        }

        assertThat(classes.values()).hasSize(3).containsOnly(classes.get("5.14.4"));
    }

    @Test
    void programWithoutAnyFrameworkAsksASite() throws Exception {
        var project = copyOf("plain", "main");
        repository
                .maven(
                        project,
                        "package",
                        "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath",
                        "-Dmdep.includeScope=runtime",
                        "-Dmdep.outputFile=path")
                .succeeded();
        var path = Files.readString(project.resolve("path")).strip();
        var program =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                project.resolve("target/classes") + ":" + path,
                                "com.example.plain.Plain")
                        .redirectErrorStream(true)
                        .start();

        var said = new String(program.getInputStream().readAllBytes(), UTF_8);

        assertThat(program.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(program.exitValue()).as(said).isZero();
        assertThat(path.replace(folder.toString(), ""))
                .doesNotContain("junit", "spring", "testcontainers")
                .contains("jsoup");
        assertThat(said).contains("200 <h1>front <b>live</b></h1>", "expected a path");
    }

    private static Map.Entry<String, String> passed(String test) {
        return Map.entry(test, "passed");
    }

    private static Map.Entry<String, String> failed(String test, String... head) {
        return Map.entry(test, "failed: " + String.join("\n", head));
    }

    /** Builds and tests the project with this version of JUnit; some of its tests fail. */
    private static Path tested(String version) throws IOException, InterruptedException {
        var project = copyOf("shop", version);
        repository
                .maven(
                        project,
                        "test",
                        "-Dmaven.test.failure.ignore",
                        "-Djunit-jupiter.version=" + version,
                        "-Dtest=" + String.join(",", waysOn(version)))
                .succeeded();
        return project;
    }

    private static List<String> waysOn(String version) {
        return version.startsWith("5")
                ? BY_HAND
                : Stream.concat(BY_HAND.stream(), BY_SPRING.stream()).toList();
    }

    private static Path copyOf(String name, String as) throws IOException {
        var from = PROJECTS.resolve(name);
        var to = folder.resolve(name + "-" + as);
        var files = new LinkedHashMap<String, String>();
        try (var paths = Files.walk(from)) {
            for (var path : paths.filter(Files::isRegularFile).toList()) {
                files.put(
                        from.relativize(path).toString().replace(".txt", ""),
                        Files.readString(path)
                                .replace("${boot}", OwnRepository.boot())
                                .replace("${quire}", OwnRepository.version()));
            }
        }
        OwnRepository.write(to, files);
        return to;
    }

    /**
     * Returns the result of each test from surefire's reports: the head of its message if it
     * failed.
     */
    private static Map<String, String> verdicts(Path project, String type) throws IOException {
        var verdicts = new TreeMap<String, String>();
        for (var report : reports(project, type)) {
            for (var test : report.select("testcase")) {
                verdicts.put(test.attr("name").replaceAll("[({\\[].*", ""), verdict(test));
            }
        }
        return verdicts;
    }

    /** Returns surefire's reports of the class and its nested classes. */
    private static List<Document> reports(Path project, String type) throws IOException {
        var documents = new ArrayList<Document>();
        try (var reports = Files.list(project.resolve("target/surefire-reports"))) {
            for (var report :
                    reports.filter(path -> isOf(type, path.getFileName().toString())).toList()) {
                documents.add(Jsoup.parse(Files.readString(report), "", Parser.xmlParser()));
            }
        }
        return documents;
    }

    private static boolean isOf(String type, String report) {
        return report.startsWith("TEST-com.example.shop." + type) && report.endsWith(".xml");
    }

    private static String verdict(Element test) {
        var failure = test.selectFirst("failure, error");
        if (failure == null) {
            return test.selectFirst("skipped") == null ? "passed" : "skipped";
        }
        var lines = failure.attr("message").strip().lines().toList();
        var head =
                IntStream.range(0, Math.min(HEAD_LINES, lines.size()))
                        .filter(at -> at == 0 || HEAD.matcher(lines.get(at)).matches())
                        .mapToObj(lines::get)
                        .collect(Collectors.joining("\n"));
        // With the recorder of Spring's test contexts, the field that is read is a finding too.
        return "failed: "
                + head.replaceAll("(ShopPages.java|handler of the application)[: ].*", "$1")
                        .replaceFirst("^\\d+ findings? in", "findings in");
    }

    /** Returns the versions of Jupiter the tests of this class were run with. */
    private static Set<String> jupiter(Path project, String type) throws IOException {
        var versions = new TreeSet<String>();
        for (var report : reports(project, type)) {
            report
                    .select(
                            "property[name=java.class.path], property[name=surefire.test.class.path]")
                    .stream()
                    .flatMap(path -> JUPITER.matcher(path.attr("value")).results())
                    .forEach(jar -> versions.add(jar.group(1)));
        }
        return versions;
    }

    private static String waterfall(Path project, String type, String method) throws IOException {
        return Files.readString(
                project.resolve("target/quire/com.example.shop." + type).resolve(method + ".html"));
    }
}
