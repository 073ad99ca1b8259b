package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * An application as start.spring.io makes it, in an empty folder, with what our documents have
 * their reader add.
 *
 * @param folder of its pom.xml
 */
record NewApplication(Path folder) {
    private static final Pattern BLOCK =
            Pattern.compile("^```([a-z]*)\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final String DEPENDENCIES_END = "    </dependencies>\n";

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
                    <dependency>
                        <groupId>org.springframework.boot</groupId>
                        <artifactId>spring-boot-starter-webmvc-test</artifactId>
                        <scope>test</scope>
                    </dependency>
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

    /** One block of a document. */
    record Block(String language, String text) {}

    /** The blocks of a section of a document, in its order, which have to be in these languages. */
    static List<Block> blocks(String document, String heading, String... languages)
            throws IOException {
        var text = Files.readString(OwnRepository.ROOT.resolve(document));
        var from = text.indexOf("\n## " + heading + "\n");
        var section = text.substring(from, text.indexOf("\n## ", from + 1));
        var blocks =
                BLOCK.matcher(section)
                        .results()
                        .map(found -> new Block(found.group(1), found.group(2)))
                        .toList();
        assertThat(blocks).extracting(Block::language).containsExactly(languages);
        return blocks;
    }

    /** Generated in {@code folder}, with what docs/spring.md adds in its five minutes. */
    static NewApplication afterFiveMinutes(Path folder) throws IOException {
        var added = fiveMinutes();
        var application = new NewApplication(folder);
        OwnRepository.write(
                folder,
                Map.of(
                        "pom.xml",
                        POM.replace("${boot}", OwnRepository.boot()),
                        "src/main/resources/templates/front.html",
                        added.get(2).text(),
                        "src/main/resources/application.properties",
                        "spring.application.name=demo\n"));
        application.write("main", "DemoApplication", APPLICATION);
        application.depend(added.get(0).text());
        application.write(
                "main",
                "News",
                imports(
                        "dev.quire.spring.EsiFragment",
                        "dev.quire.spring.EsiPage",
                        "java.util.concurrent.atomic.AtomicInteger",
                        "org.springframework.stereotype.Controller",
                        "org.springframework.web.bind.annotation.GetMapping",
                        "org.springframework.web.bind.annotation.ResponseBody"),
                added.get(1).text());
        return application;
    }

    /** What docs/spring.md adds in its five minutes: a dependency, a class, a template. */
    static List<Block> fiveMinutes() throws IOException {
        return blocks("docs/spring.md", "Five minutes", "xml", "java", "html", "");
    }

    /** Adds a dependency, as XML. */
    void depend(String dependency) throws IOException {
        var pom = folder.resolve("pom.xml");
        Files.writeString(
                pom,
                Files.readString(pom).replace(DEPENDENCIES_END, dependency + DEPENDENCIES_END));
    }

    /**
     * Adds a class to its only package, or writes it anew.
     *
     * @param side {@code main} or {@code test}
     * @param texts one behind the other, below the line of the package
     */
    void write(String side, String type, String... texts) throws IOException {
        var text = String.join("\n", texts);
        OwnRepository.write(
                folder,
                Map.of(
                        "src/%s/java/com/example/demo/%s.java".formatted(side, type),
                        text.startsWith("package ")
                                ? text
                                : "package com.example.demo;\n\n" + text));
    }

    /** They come from the editor. */
    static String imports(String... types) {
        var text = new StringBuilder();
        for (var type : types) {
            text.append("import ").append(type).append(";\n");
        }
        return text.toString();
    }
}
