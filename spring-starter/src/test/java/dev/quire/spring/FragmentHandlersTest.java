package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.autoconfigure.QuireArgumentsAutoConfiguration;
import dev.quire.spring.internal.autoconfigure.QuireAutoConfiguration;
import dev.quire.spring.internal.handler.FragmentHandlers;
import dev.quire.spring.internal.handler.MappedFragment;
import dev.quire.spring.internal.handler.MappedFragment.Argument;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The list of an application's handlers. */
class FragmentHandlersTest {

    private final WebApplicationContextRunner application =
            new WebApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(
                                    DispatcherServletAutoConfiguration.class,
                                    WebMvcAutoConfiguration.class,
                                    QuireArgumentsAutoConfiguration.class,
                                    QuireAutoConfiguration.class))
                    .withUserConfiguration(SeeAutoConfigurationTest.Edition.class, Paper.class);

    @Test
    void aHandlerTellsItsPolicyItsVariantsAndWhereItAnswers() {
        var front = mapped("Paper#front");

        assertThat(front.policy().ttl()).isEqualTo(Duration.ofSeconds(60));
        assertThat(front.policy().kind()).isEqualTo(FragmentPolicy.Kind.PAGE);
        assertThat(front.variants()).containsExactly("edition");
        assertThat(front.routes()).containsExactly("GET /front");
        assertThat(front.example()).contains("/front");
    }

    @Test
    void whoeverIsDeclaredNeverToBeKeptHasNoVariants() {
        assertThat(mapped("Paper#never").variants()).isEmpty();
        assertThat(mapped("Paper#never").policy().isPrivate()).isTrue();
    }

    @Test
    void argumentsAreThoseOfPathMappingAndQuery() {
        assertThat(mapped("Paper#story").arguments())
                .containsExactly(
                        new Argument("section", "", true, true),
                        new Argument("mode", "full", true, false),
                        new Argument("aid", "", true, false),
                        new Argument("page", "1", false, false),
                        new Argument("size", "", false, false));
    }

    @Test
    void withoutValuesForWhatIsRequiredThereIsNoExample() {
        assertThat(mapped("Paper#story").missing()).containsExactly("section", "aid");
        assertThat(mapped("Paper#story").example()).isEmpty();
    }

    @Test
    void samplesMakeAnExampleEscapedWhereTheyStand() {
        var story =
                mapped(
                        "Paper#story",
                        "quire.dev.samples[Paper#story].section=a b/c",
                        "quire.dev.samples[Paper#story].aid=1&2");

        assertThat(story.missing()).isEmpty();
        assertThat(story.example()).contains("/story/a%20b%2Fc?mode=full&aid=1%262&page=1");
    }

    @Test
    void whatCannotBeReadOrIsManyPathsHasNoExample() {
        assertThat(mapped("Paper#save").path()).isEmpty();
        assertThat(mapped("Paper#save").example()).isEmpty();
        assertThat(mapped("Paper#any").path()).contains("/any/*");
        assertThat(mapped("Paper#any").example()).isEmpty();
        assertThat(mapped("Paper#below", "quire.dev.samples[Paper#below].rest=/a/b").example())
                .contains("/below/a/b");
    }

    @Test
    void handlersComeByName() {
        application.run(context ->
                assertThat(context.getBean(FragmentHandlers.class).mapped())
                        .extracting(mapped -> mapped.policy().name())
                        .isEqualTo(
                                List.of(
                                        "Paper#any",
                                        "Paper#below",
                                        "Paper#front",
                                        "Paper#never",
                                        "Paper#save",
                                        "Paper#story")));
    }

    private MappedFragment mapped(String name, String... properties) {
        var found = new MappedFragment[1];
        application
                .withPropertyValues(properties)
                .run(context ->
                        found[0] =
                                context.getBean(FragmentHandlers.class).mapped().stream()
                                        .filter(mapped -> mapped.policy().name().equals(name))
                                        .findFirst()
                                        .orElseThrow());
        return found[0];
    }

    @RestController
    static class Paper {

        @GetMapping("/front")
        @EsiPage(ttl = "60s", vary = "edition")
        String front() {
            return "front";
        }

        @GetMapping(path = "/story/{section}", params = "mode=full")
        @EsiFragment(ttl = "5m", tags = "article-#{#aid}")
        String story(
                @PathVariable String section,
                @RequestParam long aid,
                @RequestParam(defaultValue = "1") int page,
                @RequestParam Optional<Integer> size) {
            return section + aid + page + size;
        }

        @GetMapping("/any/*")
        @EsiFragment
        String any() {
            return "any";
        }

        @GetMapping("/below/{*rest}")
        @EsiFragment
        String below(@PathVariable String rest) {
            return rest;
        }

        @PostMapping("/save")
        @EsiFragment
        String save() {
            return "saved";
        }

        @GetMapping("/never")
        @NoEsi
        String never() {
            return "never";
        }
    }
}
