package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.quire.spring.internal.assemble.FragmentSelection;
import dev.quire.spring.internal.autoconfigure.QuireArgumentsAutoConfiguration;
import dev.quire.spring.internal.autoconfigure.QuireAutoConfiguration;
import dev.quire.spring.internal.autoconfigure.QuireSecurityAutoConfiguration;
import dev.quire.spring.internal.autoconfigure.QuireTomcatAutoConfiguration;
import dev.quire.spring.internal.exchange.SecurityWatch;
import dev.quire.spring.internal.guard.SurrogateFilter;
import dev.quire.spring.internal.handler.FragmentPolicies;
import dev.quire.spring.internal.handler.FragmentRoutes;
import dev.quire.spring.internal.stamp.StampFilter;
import dev.quire.spring.internal.view.EsiDialect;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.thymeleaf.dialect.AbstractProcessorDialect;

/** The configured beans, and when they back off. */
class QuireAutoConfigurationTest {

    private static final AutoConfigurations OURS =
            AutoConfigurations.of(
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class,
                    QuireSecurityAutoConfiguration.class,
                    QuireAutoConfiguration.class,
                    QuireTomcatAutoConfiguration.class);

    private final WebApplicationContextRunner application =
            new WebApplicationContextRunner().withConfiguration(OURS);

    @Test
    void formerNameOfAnAutoConfigurationStillExcludesIt() {
        var everything = new WebApplicationContextRunner().withUserConfiguration(Everything.class);

        everything.run(context -> assertThat(context).hasSingleBean(SurrogateFilter.class));
        everything
                .withPropertyValues(
                        "spring.autoconfigure.exclude=dev.quire.spring.QuireAutoConfiguration")
                .run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(SurrogateFilter.class));
    }

    @EnableAutoConfiguration
    static class Everything {}

    @Test
    void everythingIsThereByDefault() {
        application.run(context ->
                assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(SurrogateFilter.class)
                        .hasSingleBean(FragmentPolicies.class)
                        .hasSingleBean(SecurityWatch.class)
                        .hasSingleBean(FragmentSelection.class)
                        .hasSingleBean(EsiDialect.class)
                        .hasSingleBean(StampFilter.class)
                        .hasSingleBean(FragmentRoutes.class)
                        .hasBean("stampFilterRegistration")
                        .hasBean("surrogateFilterRegistration")
                        .hasBean("fragmentPolicyConfigurer")
                        .hasBean("fragmentArgumentRecorder")
                        .hasBean("peerAddressCustomizer"));
    }

    @Test
    void oneSwitchTurnsAllOfItOff() {
        application
                .withPropertyValues("quire.enabled=false")
                .run(context ->
                        assertThat(context)
                                .hasNotFailed()
                                .doesNotHaveBean(SurrogateFilter.class)
                                .doesNotHaveBean(SecurityWatch.class)
                                .doesNotHaveBean(EsiDialect.class)
                                .doesNotHaveBean("peerAddressCustomizer"));
    }

    @Test
    void itWorksWithoutThymeleafWithoutSecurityAndWithoutJsoup() {
        application
                .withClassLoader(
                        new FilteredClassLoader(
                                AbstractProcessorDialect.class,
                                SecurityContextHolder.class,
                                Jsoup.class))
                .run(context ->
                        assertThat(context)
                                .hasNotFailed()
                                .hasSingleBean(SurrogateFilter.class)
                                .doesNotHaveBean("esiDialect")
                                .doesNotHaveBean(FragmentSelection.class)
                                .doesNotHaveBean(SecurityWatch.class));
    }

    @Test
    void anApplicationThatIsNoWebApplicationIsLeftAlone() {
        new ApplicationContextRunner()
                .withConfiguration(OURS)
                .run(context -> assertThat(context).doesNotHaveBean(SurrogateFilter.class));
    }

    @Test
    void ownBeansReplaceOurs() {
        application
                .withUserConfiguration(Own.class)
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .hasSingleBean(EsiDialect.class)
                            .hasSingleBean(SecurityWatch.class)
                            .hasSingleBean(SurrogateFilter.class)
                            .hasSingleBean(FragmentPolicies.class);
                    assertThat(context.getBean(SecurityWatch.class)).isSameAs(SecurityWatch.NONE);
                    assertThat(
                                    context.getBean(
                                                    "surrogateFilterRegistration",
                                                    FilterRegistrationBean.class)
                                            .getOrder())
                            .isEqualTo(7);
                });
    }

    @Test
    void aWrongAnnotationStopsTheApplicationAndNamesItsHandler() {
        application
                .withUserConfiguration(Wrong.class)
                .run(context ->
                        assertThat(context)
                                .getFailure()
                                .hasMessageContaining(
                                        "@EsiFragment on "
                                                + Wrong.class.getName()
                                                + "#live: ttl = \"soon\""));
    }

    @Test
    void aWrongPropertyStopsTheApplicationAndNamesItself() {
        for (var wrong :
                new String[] {
                    "quire.trusted-proxies=localhost",
                    "quire.content-types=html",
                    "quire.fallback.buffer=3GB",
                    "quire.fallback.max-includes=-1",
                    "quire.fallback.timeout=0s",
                    "quire.fallback.max-depth=0",
                    "quire.fallback.denied-cookies=a,,b",
                    "quire.fallback.variables.a-b=c",
                    "quire.headers.tag-header=xkey,a b",
                    "quire.headers.tag-limit=-1B",
                    "quire.stamp.placeholder=short"
                }) {
            application
                    .withPropertyValues(wrong)
                    .run(context ->
                            assertThat(context)
                                    .getFailure()
                                    .rootCause()
                                    .hasMessageContaining(
                                            wrong.substring(0, wrong.indexOf('='))
                                                    .replace(".a-b", "")));
        }
    }

    @Test
    void everyPropertyIsDescribed() throws IOException {
        var metadata =
                JsonPath.parse(
                        new ClassPathResource("META-INF/spring-configuration-metadata.json")
                                .getContentAsString(StandardCharsets.UTF_8));
        var keys = new TreeSet<String>();
        for (var property : metadata.<List<Map<String, Object>>>read("$.properties[*]")) {
            var key = String.valueOf(property.get("name"));
            if (key.startsWith("quire.")) {
                assertThat(property.get("description")).as(key).asString().contains(" ");
                keys.add(key);
            }
        }

        var expected = keysOfRecords();
        // conditions of auto-configurations, not in any record
        expected.addAll(Set.of("quire.enabled", "quire.security.enabled"));
        assertThat(keys).containsExactlyElementsOf(expected);
    }

    /** Returns the key of each component of each configuration record. */
    private static SortedSet<String> keysOfRecords() {
        var records = new ClassPathScanningCandidateComponentProvider(false);
        records.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
        var keys = new TreeSet<String>();
        for (var found : records.findCandidateComponents("dev.quire")) {
            var type =
                    ClassUtils.resolveClassName(
                            Objects.requireNonNull(found.getBeanClassName()), null);
            var annotation = type.getAnnotation(ConfigurationProperties.class);
            addKeys(annotation.value(), type, keys);
        }
        return keys;
    }

    private static void addKeys(String prefix, Class<?> type, Set<String> keys) {
        for (var component : type.getRecordComponents()) {
            var key = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
            if (component.getType().isRecord()) {
                addKeys(key, component.getType(), keys);
            } else {
                keys.add(key);
            }
        }
    }

    @Test
    void slicedTestsOfHandlersHaveTheFilterToo() throws IOException {
        var listed =
                new ClassPathResource(
                                "META-INF/spring/org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc.imports")
                        .getContentAsString(StandardCharsets.UTF_8)
                        .lines()
                        .toList();

        assertThat(listed)
                .containsExactly(
                        QuireArgumentsAutoConfiguration.class.getName(),
                        QuireAutoConfiguration.class.getName(),
                        QuireSecurityAutoConfiguration.class.getName());
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {

        @Bean
        SecurityWatch watch() {
            return SecurityWatch.NONE;
        }

        @Bean
        EsiDialect dialect() {
            return new EsiDialect();
        }

        @Bean
        FilterRegistrationBean<SurrogateFilter> surrogateFilterRegistration(
                SurrogateFilter filter) {
            var registration = new FilterRegistrationBean<>(filter);
            registration.setOrder(7);
            return registration;
        }
    }

    @RestController
    static class Wrong {

        @GetMapping("/live")
        @EsiFragment(ttl = "soon")
        String live() {
            return "live";
        }
    }
}
