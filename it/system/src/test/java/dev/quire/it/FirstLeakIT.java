package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.RequestHead;
import dev.quire.proxy.Proxy;
import dev.quire.spring.EsiFragment;
import dev.quire.test.EsiSite;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs "The first leak in ten minutes" of docs/testing.md. The application of the starter's first
 * five minutes gets a fragment and a test, built by Maven against the installed harness. The test
 * fails with the report shown in the guide and passes after the guide's fix; a test of all handlers
 * finds what the guide says.
 */
// A thread that reads a pipe cannot be interrupted: it ends with the process.
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FirstLeakIT {
    private static final String[] MAIN = {
        "dev.quire.spring.EsiFragment",
        "jakarta.servlet.http.HttpServletResponse",
        "java.util.Locale",
        "org.springframework.stereotype.Controller",
        "org.springframework.web.bind.annotation.GetMapping",
        "org.springframework.web.bind.annotation.ResponseBody"
    };

    private static final String[] TEST = {
        "dev.quire.test.EsiSite",
        "dev.quire.test.LeakDetector",
        "dev.quire.test.User",
        "dev.quire.test.junit.EsiTest",
        "dev.quire.test.spring.AutoConfigureEsi",
        "org.junit.jupiter.api.Test",
        "org.springframework.boot.test.context.SpringBootTest",
        "org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc"
    };

    @TempDir Path folder;

    @Test
    void firstLeakIsFoundByTheTestOfTheGuideAndMendedByItsRemedy() throws Exception {
        var guide =
                NewApplication.blocks(
                        "docs/testing.md",
                        "The first leak in ten minutes",
                        "java",
                        "xml",
                        "java",
                        "",
                        "java");
        var application = NewApplication.afterFiveMinutes(folder.resolve("demo"));
        application.write("main", "Greeting", NewApplication.imports(MAIN), guide.get(0).text());
        application.depend(guide.get(1).text());
        application.write("test", "SharedTest", NewApplication.imports(TEST), guide.get(2).text());
        var repository =
                OwnRepository.at(folder.resolve("repository"))
                        .with("quire-core", "esi-core", RequestHead.class)
                        .with("quire-proxy", "esi-proxy", Proxy.class)
                        .with("quire-spring-boot-starter", "spring-starter", EsiFragment.class)
                        .with("quire-test", "it/harness", EsiSite.class);

        var leaking = repository.maven(application.folder(), "test");
        application.write("main", "Greeting", NewApplication.imports(MAIN), guide.get(4).text());
        var mended = repository.maven(application.folder(), "test");
        application.write(
                "test",
                "SharedTest",
                NewApplication.imports(TEST),
                guide.get(2)
                        .text()
                        .replace(".paths(\"/fragments/greeting\")", ".allPublicFragments()"));
        var all = repository.maven(application.folder(), "test");

        assertThat(leaking.exit()).as(leaking.log()).isNotZero();
        assertThat(withoutMargin(leaking.log())).contains(withoutMargin(guide.get(3).text()));
        mended.succeeded();
        assertThat(all.log())
                .contains("leak[UNSTABLE]: /fragments/live")
                .doesNotContain("/fragments/greeting differs");
    }

    /** Removes indentation and trailing blanks. */
    private static String withoutMargin(String text) {
        return text.lines().map(String::stripTrailing).collect(Collectors.joining("\n")).strip();
    }
}
