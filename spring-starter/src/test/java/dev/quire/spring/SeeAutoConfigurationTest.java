package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.autoconfigure.QuireActuatorAutoConfiguration;
import dev.quire.spring.internal.autoconfigure.QuireArgumentsAutoConfiguration;
import dev.quire.spring.internal.autoconfigure.QuireAutoConfiguration;
import dev.quire.spring.internal.autoconfigure.QuireDevAutoConfiguration;
import dev.quire.spring.internal.autoconfigure.QuireEndpoint;
import dev.quire.spring.internal.exchange.FragmentMarkers;
import dev.quire.spring.internal.exchange.FragmentObserver;
import dev.quire.spring.internal.guard.SurrogateFilter;
import dev.quire.spring.internal.handler.FragmentCatalogue;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * When the output for operators and developers is configured, and which declarations stop the
 * start.
 */
class SeeAutoConfigurationTest {

    private final WebApplicationContextRunner application =
            new WebApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(
                                    DispatcherServletAutoConfiguration.class,
                                    WebMvcAutoConfiguration.class,
                                    QuireArgumentsAutoConfiguration.class,
                                    QuireAutoConfiguration.class,
                                    QuireActuatorAutoConfiguration.class,
                                    QuireDevAutoConfiguration.class));

    private final WebApplicationContextRunner exposed =
            application.withPropertyValues("management.endpoints.web.exposure.include=quire");

    @Test
    void theEndpointIsThereWhereItIsExposed() {
        exposed.run(context -> assertThat(context).hasSingleBean(QuireEndpoint.class));
        application.run(context -> assertThat(context).doesNotHaveBean(QuireEndpoint.class));
    }

    @Test
    void withoutActuatorMetricsAndObservationsAllElseWorks() {
        exposed.withClassLoader(new FilteredClassLoader(Endpoint.class, MeterBinder.class))
                .run(context ->
                        assertThat(context)
                                .hasNotFailed()
                                .hasSingleBean(SurrogateFilter.class)
                                .doesNotHaveBean("quireEndpoint")
                                .doesNotHaveBean("guardMeters")
                                .doesNotHaveBean(FragmentObserver.class));
    }

    @Test
    void oneSwitchTurnsAllOfItOffButTheArguments() {
        exposed.withBean(ObservationRegistry.class, ObservationRegistry::create)
                .withPropertyValues("quire.enabled=false", "quire.dev.enabled=true")
                .run(context ->
                        assertThat(context)
                                .hasNotFailed()
                                .doesNotHaveBean(QuireEndpoint.class)
                                .doesNotHaveBean("guardMeters")
                                .doesNotHaveBean(FragmentObserver.class)
                                .doesNotHaveBean(FragmentCatalogue.class)
                                .hasBean("esiArgumentsConfigurer"));
    }

    @Test
    void whatDevelopersSeeHasToBeAskedFor() {
        application
                .withPropertyValues("quire.dev.markers=true")
                .run(context ->
                        assertThat(context)
                                .doesNotHaveBean(FragmentCatalogue.class)
                                .doesNotHaveBean(FragmentMarkers.class));
        application
                .withPropertyValues("quire.dev.enabled=true")
                .run(context ->
                        assertThat(context)
                                .hasSingleBean(FragmentCatalogue.class)
                                .doesNotHaveBean(FragmentMarkers.class));
    }

    @Test
    void ownBeansReplaceOurs() {
        exposed.withPropertyValues("quire.dev.enabled=true", "quire.dev.markers=true")
                .withUserConfiguration(Own.class)
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .hasSingleBean(FragmentObserver.class)
                            .hasSingleBean(FragmentMarkers.class)
                            .hasSingleBean(MeterBinder.class);
                    assertThat(context.getBean(FragmentObserver.class))
                            .isSameAs(FragmentObserver.NONE);
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "quire.rules[0].path=/a/{b           | quire.rules[0].path: '/a/{b' is not a path pattern",
                "quire.rules[0].ttl=30s              | quire.rules[0].path: is missing",
                "quire.rules[1].ttl=500ms            | quire.rules[1] (path /y): ttl is PT0.5S",
                "quire.rules[1].stale=-1s            | quire.rules[1] (path /y): stale is PT-1S",
                "quire.rules[1].tags=most read       | tag 'most read' is empty or contains a blank",
                "quire.rules[1].tags=a-#{#b}         | tag 'a-#{#b}' uses #b",
                "quire.rules[1].browser=Ω            | browser is not a Cache-Control value"
            })
    void aWrongRuleStopsTheStartAndNamesItsKey(String wrong, String message) {
        var rule =
                wrong.startsWith("quire.rules[1]")
                        ? new String[] {"quire.rules[0].path=/x", "quire.rules[1].path=/y", wrong}
                        : new String[] {wrong};

        application
                .withPropertyValues(rule)
                .run(context ->
                        assertThat(allMessages(context.getStartupFailure())).contains(message));
    }

    private static String allMessages(@Nullable Throwable failure) {
        var messages = new StringBuilder();
        for (@Nullable Throwable next = failure; next != null; next = next.getCause()) {
            messages.append(next.getMessage()).append('\n');
        }
        return messages.toString();
    }

    @Test
    void aWrongAnnotationStopsTheStartAndNamesClassMethodAndMember() {
        assertRefused(Timeless.class, "@EsiPage on ", "Timeless#page: timeout = \"soon\"");
        assertRefused(Both.class, "@NoEsi on ", "Both#page: it cannot be combined");
        assertRefused(Twice.class, "@EsiFragment on ", "Twice#page: it is declared more than once");
        assertRefused(Nothing.class, "@EsiFragment on ", "Nothing#page: tag '#{#result}'");
        assertRefused(Nameless.class, "@EsiFragment on ", "Nameless#page: name is blank");
    }

    @Test
    void aPolicyThatNoRouteLeadsToStopsTheStartAndNamesItsMethod() {
        assertRefused(
                Unmapped.class,
                "@EsiFragment on ",
                "Unmapped#live: the method has no mapping",
                "expected @GetMapping");
        assertRefused(
                UnmappedPage.class, "@EsiPage on ", "UnmappedPage#page: the method has no mapping");
        assertRefused(
                UnmappedNever.class, "@NoEsi on ", "UnmappedNever#page: the method has no mapping");
    }

    @Test
    void aVariantThatThereIsNotStopsTheStartAndNamesTheOnesThereAre() {
        assertRefused(
                UnknownVariant.class,
                "@EsiPage on %s#page: vary = \"editon\" is not a variant"
                        .formatted(UnknownVariant.class.getName()),
                "[edition]");
        assertRefused(
                UndeclaredVariant.class,
                "@EsiVariant(\"edition\") on %s#page: the method does not declare this variant"
                        .formatted(UndeclaredVariant.class.getName()),
                "vary = \"edition\" in @EsiFragment");
        assertRefused(
                VariantWithoutPolicy.class,
                "@EsiVariant(\"edition\") on %s#page: the method does not declare this variant"
                        .formatted(VariantWithoutPolicy.class.getName()));
    }

    private void assertRefused(Class<?> handlers, String... parts) {
        application
                .withUserConfiguration(handlers)
                .run(context ->
                        assertThat(allMessages(context.getStartupFailure())).contains(parts));
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {

        @Bean
        FragmentObserver observer() {
            return FragmentObserver.NONE;
        }

        @Bean
        FragmentMarkers markers() {
            return (policy, tags, response, body) -> false;
        }

        @Bean
        MeterBinder guardMeters() {
            return registry -> {};
        }
    }

    @RestController
    static class Unmapped {

        @EsiFragment
        String live() {
            return "live";
        }
    }

    @RestController
    static class UnmappedPage {

        @GetMapping("/other")
        @EsiPage
        String other() {
            return "other";
        }

        @EsiPage
        String page() {
            return "page";
        }
    }

    @RestController
    static class UnmappedNever {

        @NoEsi
        String page() {
            return "page";
        }
    }

    /** A variant called {@code edition}. */
    static class Edition implements VariantResolver {

        @Override
        public String name() {
            return "edition";
        }

        @Override
        public Set<String> values() {
            return Set.of("home", "world");
        }

        @Override
        public String initial() {
            return "home";
        }

        @Override
        public String resolve(HttpServletRequest request) {
            return "home";
        }
    }

    @RestController
    @Import(Edition.class)
    static class UnknownVariant {

        @GetMapping("/page")
        @EsiPage(vary = "editon")
        String page() {
            return "page";
        }
    }

    @RestController
    @Import(Edition.class)
    static class UndeclaredVariant {

        @GetMapping("/page")
        @EsiFragment
        String page(@EsiVariant("edition") String edition) {
            return edition;
        }
    }

    @RestController
    @Import(Edition.class)
    static class VariantWithoutPolicy {

        @GetMapping("/page")
        String page(@EsiVariant("edition") String edition) {
            return edition;
        }
    }

    @RestController
    static class Timeless {

        @GetMapping("/page")
        @EsiPage(timeout = "soon")
        String page() {
            return "page";
        }
    }

    @RestController
    static class Both {

        @GetMapping("/page")
        @NoEsi
        @EsiFragment
        String page() {
            return "page";
        }
    }

    @RestController
    static class Twice {

        @GetMapping("/page")
        @EsiPage
        @EsiFragment
        String page() {
            return "page";
        }
    }

    @RestController
    static class Nothing {

        @GetMapping("/page")
        @EsiFragment(tags = "#{#result}")
        void page() {}
    }

    @RestController
    static class Nameless {

        @GetMapping("/page")
        @EsiFragment(name = " ")
        String page() {
            return "page";
        }
    }
}
