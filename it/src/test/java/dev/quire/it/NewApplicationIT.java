package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.RequestHead;
import dev.quire.spring.EsiFragment;
import dev.quire.test.RunningProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
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
    private static final Path ROOT = OwnRepository.ROOT;
    private static final Pattern BLOCK =
            Pattern.compile("^```([a-z]+)\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern READY = Pattern.compile("Tomcat started on port (\\d+)");

    private static final String POM =
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <project xmlns="http://maven.apache.org/POM/4.0.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 https://maven.apache.org/xsd/maven-4.0.0.xsd">
                <modelVersion>4.0.0</modelVersion>
                <parent>
                    <groupId>org.springframework.boot</groupId>
                    <artifactId>spring-boot-starter-parent</artifactId>
                    <version>${boot}</version>
                    <relativePath/> <!-- lookup parent from repository -->
                </parent>
                <groupId>com.example</groupId>
                <artifactId>demo</artifactId>
                <version>0.0.1-SNAPSHOT</version>
                <properties>
                    <java.version>21</java.version>
                </properties>
                <dependencies>
                    <dependency>
                        <groupId>org.springframework.boot</groupId>
                        <artifactId>spring-boot-starter-thymeleaf</artifactId>
                    </dependency>
            ${starter}
                </dependencies>
                <build>
                    <plugins>
                        <plugin>
                            <groupId>org.springframework.boot</groupId>
                            <artifactId>spring-boot-maven-plugin</artifactId>
                        </plugin>
                    </plugins>
                </build>
            </project>
            """;

    /** As it is generated. */
    private static final String APPLICATION =
            """
            package com.example.demo;

            import org.springframework.boot.SpringApplication;
            import org.springframework.boot.autoconfigure.SpringBootApplication;

            @SpringBootApplication
            public class DemoApplication {

                public static void main(String[] args) {
                    SpringApplication.run(DemoApplication.class, args);
                }
            }
            """;

    /** They come from the editor. */
    private static final String IMPORTS =
            """
            package com.example.demo;

            import dev.quire.spring.EsiFragment;
            import dev.quire.spring.EsiPage;
            import java.util.concurrent.atomic.AtomicInteger;
            import org.springframework.stereotype.Controller;
            import org.springframework.web.bind.annotation.GetMapping;
            import org.springframework.web.bind.annotation.ResponseBody;

            """;

    @TempDir Path folder;

    @Test
    void tenLinesMakeAFragmentThatTheProxyHasWhenItIsAskedForAgain() throws Exception {
        var application = folder.resolve("demo");
        var added = document();
        generate(application, added);
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

            assertThat(added.code().lines().count()).isLessThanOrEqualTo(10);
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

    /** What the document has its reader write, in the order of its five minutes. */
    private record Added(String dependency, String code, String template) {}

    private static Added document() throws IOException {
        var text = Files.readString(ROOT.resolve("docs/spring.md"));
        var from = text.indexOf("\n## Five minutes");
        var section = text.substring(from, text.indexOf("\n## ", from + 1));
        var blocks = BLOCK.matcher(section).results().toList();
        assertThat(blocks)
                .extracting(block -> block.group(1))
                .containsExactly("xml", "java", "html");
        return new Added(blocks.get(0).group(2), blocks.get(1).group(2), blocks.get(2).group(2));
    }

    private static void generate(Path application, Added added) throws IOException {
        OwnRepository.write(
                application,
                Map.of(
                        "pom.xml",
                        POM.replace("${boot}", OwnRepository.boot())
                                .replace("${starter}", added.dependency()),
                        "src/main/java/com/example/demo/DemoApplication.java",
                        APPLICATION,
                        "src/main/java/com/example/demo/News.java",
                        IMPORTS + added.code(),
                        "src/main/resources/templates/front.html",
                        added.template(),
                        "src/main/resources/application.properties",
                        "spring.application.name=demo\n"));
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
