package dev.quire.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiPage;
import dev.quire.test.FragmentHandler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

class SpringFragmentsTest {

    @Test
    void handlersAreToldAsClientsReachThem() {
        try (var paper = started("server.servlet.context-path=/paper")) {
            assertThat(SpringFragments.of(paper))
                    .containsExactly(
                            new FragmentHandler(
                                    "Paper#front",
                                    Paper.class.getName() + "#front",
                                    List.of("/paper/"),
                                    true,
                                    true,
                                    Optional.of(Duration.ofSeconds(60)),
                                    List.of("front"),
                                    List.of(),
                                    Optional.of("/paper/"),
                                    List.of()),
                            new FragmentHandler(
                                    "Paper#greeting",
                                    Paper.class.getName() + "#greeting",
                                    List.of("/paper/greeting"),
                                    false,
                                    false,
                                    Optional.empty(),
                                    List.of(),
                                    List.of(),
                                    Optional.of("/paper/greeting"),
                                    List.of()),
                            new FragmentHandler(
                                    "story",
                                    Paper.class.getName() + "#story",
                                    List.of("/paper/story/{aid}"),
                                    false,
                                    true,
                                    Optional.of(Duration.ofMinutes(5)),
                                    List.of("article-#{#aid}"),
                                    List.of(),
                                    Optional.empty(),
                                    List.of("aid")));
        }
    }

    @Test
    void samplesMakeExamples() {
        try (var paper = started("quire.dev.samples.story.aid=4665")) {
            assertThat(SpringFragments.of(paper).getLast().example()).contains("/story/4665");
        }
    }

    @Test
    void anApplicationWithoutTheStarterIsToldWhatIsMissing() {
        try (var bare = new GenericApplicationContext()) {
            bare.refresh();

            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> SpringFragments.of(bare))
                    .withMessageContaining("has no bean of type FragmentHandlers")
                    .withMessageContaining("expected quire-spring-boot-starter on the class path");
        }
    }

    private static ConfigurableApplicationContext started(String property) {
        var application = new SpringApplication(Started.class);
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        return application.run("--server.port=0", "--server.address=127.0.0.1", "--" + property);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Paper.class)
    static class Started {}

    @RestController
    static class Paper {

        @GetMapping("/")
        @EsiPage(ttl = "60s", tags = "front")
        String front() {
            return "front";
        }

        @GetMapping("/greeting")
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        String greeting() {
            return "hello";
        }

        @GetMapping("/story/{aid}")
        @EsiFragment(ttl = "5m", tags = "article-#{#aid}", name = "story")
        String story(@PathVariable long aid) {
            return "story " + aid;
        }

        @PostMapping("/story")
        @EsiFragment(name = "write")
        String write() {
            return "written";
        }
    }
}
