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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The harness as its user has it, from a repository, in a project of its own: one test class gives
 * the same verdicts whichever version of JUnit runs it, however its pages are assembled and whoever
 * has opened the site; and a program without any framework can use it too. The project is in {@code
 * src/test/resources/versions}.
 */
// What waits at a pipe cannot be interrupted: it is left behind, and ends with its process.
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JUnitVersionsIT {
    private static final Path PROJECTS = Path.of("src/test/resources/versions");

    /** The site opened by hand: every version can. */
    private static final List<String> BY_HAND =
            List.of("MockMvcByHandTest", "LivePortByHandTest", "ProxyByHandTest");

    /** The site of Spring's extension, which needs Jupiter 6. */
    private static final List<String> BY_SPRING =
            List.of("MockMvcBySpringTest", "LivePortBySpringTest", "ProxyBySpringTest");

    /** What the tests of that class are there to show. */
    private static final Map<String, String> EXPECTED =
            new TreeMap<>(
                    Map.of(
                            "pageIsWhole", "passed",
                            "fragmentIsFetchedOnceInItsLifetime", "passed",
                            "faultOfAFragmentStaysInIt", "passed",
                            "changeIsSeenAtOnce", "passed",
                            "innerTestHasTheSiteToo", "passed",
                            "wrongHeading", "failed: expected: \"Sale\"",
                            "wrongLifetime", "failed: expected: 1L",
                            "unknownName",
                                    "failed: 'nothing' is no path and no handler of the application",
                            "clockOfNobody",
                                    "failed: advance(PT1M) would change nothing: no site, proxy or origin lives by the clock made at ShopPages.java"));

    @TempDir static Path folder;

    private static OwnRepository repository;

    @BeforeAll
    static void install() throws Exception {
        repository =
                OwnRepository.at(folder.resolve("repository"))
                        .with("quire-core", "esi-core", RequestHead.class)
                        .with("quire-proxy", "esi-proxy", Proxy.class)
                        .with("quire-spring-boot-starter", "spring-starter", EsiFragment.class)
                        .with("quire-test", "it", EsiSite.class);
    }

    @Test
    void oneTestClassGivesTheSameVerdictsOnEveryVersion() throws Exception {
        var classes = new LinkedHashMap<String, byte[]>();

        for (var version : List.of("5.14.4", "6.0.3", "6.1.3")) {
            var project = copyOf("shop", version);
            boolean spring = !version.startsWith("5");
            repository
                    .maven(
                            project,
                            "test",
                            "-Dmaven.test.failure.ignore",
                            "-Djunit-jupiter.version=" + version,
                            "-Dtest="
                                    + String.join(",", BY_HAND)
                                    + (spring ? "," + String.join(",", BY_SPRING) : ""))
                    .succeeded();

            for (var way : spring ? all() : BY_HAND) {
                assertThat(verdicts(project, way)).as("%s on %s", way, version).isEqualTo(EXPECTED);
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

    private static List<String> all() {
        return Stream.concat(BY_HAND.stream(), BY_SPRING.stream()).toList();
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

    /** What became of each test, as surefire reports it: the head of its message if it failed. */
    private static Map<String, String> verdicts(Path project, String type) throws IOException {
        var verdicts = new TreeMap<String, String>();
        try (var reports = Files.list(project.resolve("target/surefire-reports"))) {
            for (var report :
                    reports.filter(path -> isOf(type, path.getFileName().toString())).toList()) {
                var xml = Jsoup.parse(Files.readString(report), "", Parser.xmlParser());
                for (var test : xml.select("testcase")) {
                    verdicts.put(test.attr("name").replaceAll("[({\\[].*", ""), verdict(test));
                }
            }
        }
        return verdicts;
    }

    private static boolean isOf(String type, String report) {
        return report.startsWith("TEST-com.example.shop." + type) && report.endsWith(".xml");
    }

    private static String verdict(Element test) {
        var failure = test.selectFirst("failure, error");
        return failure == null
                ? test.selectFirst("skipped") == null ? "passed" : "skipped"
                : "failed: "
                        + failure.attr("message")
                                .strip()
                                .lines()
                                .findFirst()
                                .orElse("")
                                .replaceAll(
                                        "(ShopPages.java|handler of the application)[: ].*", "$1");
    }

    private static String waterfall(Path project, String type, String method) throws IOException {
        return Files.readString(
                project.resolve("target/quire/com.example.shop." + type).resolve(method + ".html"));
    }
}
