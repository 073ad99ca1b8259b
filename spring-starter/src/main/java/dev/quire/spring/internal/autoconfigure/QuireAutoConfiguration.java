package dev.quire.spring.internal.autoconfigure;

import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.spring.FragmentPolicyCustomizer;
import dev.quire.spring.VariantResolver;
import dev.quire.spring.internal.assemble.FragmentSelection;
import dev.quire.spring.internal.assemble.JsoupSelection;
import dev.quire.spring.internal.assemble.Loopback;
import dev.quire.spring.internal.assemble.PageAssembly;
import dev.quire.spring.internal.assemble.ServletInputs;
import dev.quire.spring.internal.exchange.FragmentMarkers;
import dev.quire.spring.internal.exchange.FragmentObserver;
import dev.quire.spring.internal.exchange.GuardHits;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.exchange.NotedMessages;
import dev.quire.spring.internal.exchange.SecurityWatch;
import dev.quire.spring.internal.fields.TrustedProxies;
import dev.quire.spring.internal.guard.BoundaryFilter;
import dev.quire.spring.internal.guard.CommitGuard;
import dev.quire.spring.internal.guard.LanguageWatch;
import dev.quire.spring.internal.guard.SurrogateFilter;
import dev.quire.spring.internal.handler.ArgumentRecorder;
import dev.quire.spring.internal.handler.DeclaredHandlers;
import dev.quire.spring.internal.handler.FragmentHandlers;
import dev.quire.spring.internal.handler.FragmentInterceptor;
import dev.quire.spring.internal.handler.FragmentPolicies;
import dev.quire.spring.internal.handler.FragmentRoutes;
import dev.quire.spring.internal.settings.DevProperties;
import dev.quire.spring.internal.settings.QuireProperties;
import dev.quire.spring.internal.settings.StampProperties;
import dev.quire.spring.internal.settings.VariantsProperties;
import dev.quire.spring.internal.stamp.Placeholder;
import dev.quire.spring.internal.stamp.StampFilter;
import dev.quire.spring.internal.variant.DeclaredVariants;
import dev.quire.spring.internal.variant.VariantArguments;
import dev.quire.spring.internal.variant.VariantCookie;
import dev.quire.spring.internal.variant.VariantInterceptor;
import dev.quire.spring.internal.view.EsiDialect;
import dev.quire.spring.internal.view.EsiDialectMessages;
import dev.quire.spring.invalidate.EsiInvalidator;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.time.Clock;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.jsoup.Jsoup;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.thymeleaf.dialect.AbstractProcessorDialect;

/**
 * Fragment policies, stamps, the guard, variants and assembly for an application with Spring MVC.
 */
@AutoConfiguration(
        beforeName = "org.springframework.boot.thymeleaf.autoconfigure.ThymeleafAutoConfiguration")
@ConditionalOnClass({Filter.class, DispatcherServlet.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
@EnableConfigurationProperties({
    DevProperties.class,
    QuireProperties.class,
    StampProperties.class,
    VariantsProperties.class
})
public final class QuireAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Placeholder stampPlaceholder(StampProperties properties) {
        return Placeholder.of(properties);
    }

    @Bean
    @ConditionalOnMissingBean
    BoundaryFilter boundaryFilter() {
        return new BoundaryFilter();
    }

    @Bean
    @ConditionalOnMissingBean(name = "boundaryFilterRegistration")
    FilterRegistrationBean<BoundaryFilter> boundaryFilterRegistration(BoundaryFilter filter) {
        return registration(filter, BoundaryFilter.ORDER);
    }

    @Bean
    @ConditionalOnMissingBean
    StampFilter stampFilter(QuireProperties properties, Placeholder placeholder) {
        return new StampFilter(properties, placeholder, GuardedExchange::hasStamps);
    }

    @Bean
    @ConditionalOnMissingBean(name = "stampFilterRegistration")
    FilterRegistrationBean<StampFilter> stampFilterRegistration(StampFilter filter) {
        return registration(filter, StampFilter.ORDER);
    }

    @Bean
    @ConditionalOnMissingBean
    FragmentRoutes fragmentRoutes(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<FragmentPolicies> policies) {
        return new FragmentRoutes(mappings, policies);
    }

    @Bean
    @ConditionalOnMissingBean
    SurrogateFilter surrogateFilter(
            QuireProperties properties,
            GuardHits hits,
            PageAssembly assembly,
            ObjectProvider<FragmentMarkers> markers,
            ObjectProvider<SecurityWatch> security,
            ObjectProvider<Placeholder> placeholder,
            ObjectProvider<EsiInvalidator> invalidator) {
        return new SurrogateFilter(
                properties,
                new CommitGuard(
                        properties,
                        assembly.documents(),
                        hits,
                        markers.getIfAvailable(),
                        url -> invalidator.ifAvailable(each -> each.urls(url))),
                assembly,
                security.getIfAvailable(() -> SecurityWatch.NONE),
                placeholder.getIfAvailable(() -> Placeholder.OFF));
    }

    @Bean
    @ConditionalOnMissingBean
    PageAssembly pageAssembly(
            QuireProperties properties,
            ObjectProvider<Placeholder> placeholder,
            ObjectProvider<SecurityWatch> security,
            ObjectProvider<FragmentSelection> selection,
            ObjectProvider<Loopback> loopback,
            ServletInputs.Source surroundings,
            ObjectProvider<AssemblyObserver> observer) {
        return new PageAssembly(
                properties,
                placeholder.getIfAvailable(() -> Placeholder.OFF),
                security.getIfAvailable(() -> SecurityWatch.NONE),
                selection.getIfAvailable(() -> FragmentSelection.NONE),
                loopback.getIfAvailable(),
                surroundings,
                all(observer.orderedStream().toList()));
    }

    @Bean
    @ConditionalOnMissingBean
    ServletInputs.Source requestSurroundings(
            ObjectProvider<Clock> clock, ObjectProvider<RandomGenerator> random) {
        var ownRandom = random.getIfUnique();
        return new ServletInputs.Source(
                clock.getIfUnique(Clock::systemUTC),
                ownRandom == null ? ThreadLocalRandom::current : () -> ownRandom);
    }

    @Bean
    @ConditionalOnMissingBean
    GuardHits guardHits() {
        return new GuardHits();
    }

    @Bean
    @ConditionalOnMissingBean(name = "surrogateFilterRegistration")
    FilterRegistrationBean<SurrogateFilter> surrogateFilterRegistration(SurrogateFilter filter) {
        return registration(filter, SurrogateFilter.ORDER);
    }

    @Bean
    @ConditionalOnMissingBean
    FragmentPolicies fragmentPolicies(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<FragmentPolicyCustomizer> customizers,
            ListableBeanFactory beans) {
        return new FragmentPolicies(mappings, customizers, beans);
    }

    @Bean
    @ConditionalOnMissingBean
    FragmentHandlers fragmentHandlers(FragmentPolicies policies, DevProperties dev) {
        return new DeclaredHandlers(policies, dev);
    }

    @Bean
    @ConditionalOnMissingBean(name = "fragmentPolicyConfigurer")
    WebMvcConfigurer fragmentPolicyConfigurer(
            ObjectProvider<FragmentPolicies> policies, ObjectProvider<FragmentObserver> observer) {
        return new WebMvcConfigurer() {
            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                registry.addInterceptor(
                                new FragmentInterceptor(
                                        policies,
                                        observer.getIfAvailable(() -> FragmentObserver.NONE)))
                        .order(Ordered.HIGHEST_PRECEDENCE);
            }
        };
    }

    @Bean
    @ConditionalOnMissingBean(name = "fragmentArgumentRecorder")
    static BeanPostProcessor fragmentArgumentRecorder() {
        return ArgumentRecorder.installer();
    }

    @Bean
    @ConditionalOnMissingBean(name = "languageWatchConfigurer")
    WebMvcConfigurer languageWatchConfigurer(QuireProperties properties) {
        return new WebMvcConfigurer() {
            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                if (properties.guard().locale() != QuireProperties.Guard.OnLocale.OFF) {
                    // after the one of the policies, before all others
                    registry.addInterceptor(new LanguageWatch())
                            .order(Ordered.HIGHEST_PRECEDENCE + 1);
                }
            }
        };
    }

    @Bean
    @ConditionalOnMissingBean(name = "notedMessages")
    static BeanPostProcessor notedMessages(ConfigurableListableBeanFactory beans) {
        return NotedMessages.installer(beans);
    }

    @Bean
    DeclaredVariants esiVariants(
            ObjectProvider<VariantResolver> resolvers, QuireProperties properties) {
        return new DeclaredVariants(
                resolvers.orderedStream().toList(), TrustedProxies.of(properties.trustedProxies()));
    }

    @Bean
    @ConditionalOnMissingBean
    VariantCookie esiVariantCookie(
            DeclaredVariants variants, VariantsProperties properties, ObjectProvider<Clock> clock) {
        return new VariantCookie(variants, properties, clock.getIfUnique(Clock::systemUTC));
    }

    @Bean
    VariantInterceptor esiVariantInterceptor(
            DeclaredVariants variants,
            VariantsProperties properties,
            ObjectProvider<RequestMappingHandlerMapping> mappings) {
        return new VariantInterceptor(variants, properties.secret() != null, mappings);
    }

    @Bean
    WebMvcConfigurer esiVariantConfigurer(ObjectProvider<VariantInterceptor> interceptor) {
        return new WebMvcConfigurer() {
            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                registry.addInterceptor(interceptor.getObject());
            }

            @Override
            public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
                resolvers.add(new VariantArguments());
            }
        };
    }

    private static <F extends Filter> FilterRegistrationBean<F> registration(F filter, int order) {
        var registration = new FilterRegistrationBean<>(filter);
        registration.setOrder(order);
        registration.setDispatcherTypes(
                EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR));
        return registration;
    }

    private static AssemblyObserver all(List<AssemblyObserver> observers) {
        return switch (observers.size()) {
            case 0 -> AssemblyObserver.NONE;
            case 1 -> observers.getFirst();
            default -> page -> observers.forEach(each -> each.assembled(page));
        };
    }

    /** {@code select} on includes, if jsoup is present. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Jsoup.class)
    static final class JsoupConfiguration {

        @Bean
        @ConditionalOnMissingBean
        FragmentSelection selection() {
            return new JsoupSelection();
        }
    }

    /** The esi dialect, if Thymeleaf is present. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(AbstractProcessorDialect.class)
    static final class ThymeleafConfiguration {

        @Bean
        @ConditionalOnMissingBean
        EsiDialect esiDialect() {
            return new EsiDialect();
        }

        @Bean
        @ConditionalOnMissingBean
        static EsiDialectMessages esiDialectMessages(ApplicationContext messages) {
            return new EsiDialectMessages(messages);
        }
    }
}
