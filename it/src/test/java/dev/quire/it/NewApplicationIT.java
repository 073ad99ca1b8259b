package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.RequestHead;
import dev.quire.spring.EsiFragment;
import dev.quire.test.RunningProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first five minutes with the starter, as docs/spring.md tells them: an application as
 * start.spring.io makes it, in an empty folder, with what the document has its reader add, built by
 * Maven against the installed starter and run as a jar behind the proxy.
 */
// What waits at a pipe cannot be interrupted: it is left behind, and ends with its process.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NewApplicationIT {
    private static final Pattern READY = Pattern.compile("Tomcat started on port (\\d+)");

    @TempDir Path folder;

    @Test
    void tenLinesMakeAFragmentThatTheProxyHasWhenItIsAskedForAgain() throws Exception {
        var application = NewApplication.afterFiveMinutes(folder.resolve("demo")).folder();
        var code = NewApplication.fiveMinutes().get(1).text();
        var repository =
                OwnRepository.at(folder.resolve("repository"))
                        .with("quire-core", "esi-core", RequestHead.class)
                        .with("quire-spring-boot-starter", "spring-starter", EsiFragment.class);

        repository.maven(application, "package").succeeded();
        var process = launch(application);
        try (var said = process.inputReader(UTF_8);
                var proxy = RunningProxy.inFrontOf(ready(said)).start()) {
            var first = proxy.get("/");
            var second = proxy.get("/");
            var fragment = proxy.get("/fragments/live");

            assertThat(code.lines().count()).isLessThanOrEqualTo(10);
            assertThat(first.text()).contains("votes: count 1").doesNotContain("esi:");
            assertThat(first.field("Cache-Status")).contains("fwd=uri-miss", "stored");
            assertThat(second.text()).isEqualTo(first.text());
            assertThat(second.field("Cache-Status")).contains("; hit; ttl=");
            assertThat(fragment.text()).isEqualTo("count 1");
            assertThat(fragment.field("Cache-Status")).contains("; hit; ttl=");
        } finally {
            process.destroy();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private static Process launch(Path application) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        "target/demo-0.0.1-SNAPSHOT.jar",
                        "--server.port=0",
                        "--server.address=127.0.0.1")
                .directory(application.toFile())
                .redirectErrorStream(true)
                .start();
    }

    /** Where the application listens, once it says so. */
    private static URI ready(BufferedReader said) throws IOException {
        var all = new StringBuilder();
        for (var line = said.readLine(); line != null; line = said.readLine()) {
            all.append(line).append('\n');
            var ready = READY.matcher(line);
            if (ready.find()) {
                return URI.create("http://127.0.0.1:" + ready.group(1));
            }
        }
        throw new AssertionError("the application does not start:\n" + all);
    }
}
