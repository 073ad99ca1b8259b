package dev.quire.spring;

import dev.quire.core.assemble.AssemblyObserver;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.time.Clock;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Fragment policies, the guard and assembly for an application with Spring MVC. */
@AutoConfiguration
@ConditionalOnClass({Filter.class, DispatcherServlet.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
@EnableConfigurationProperties({QuireProperties.class, DevProperties.class})
public final class QuireAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    SurrogateFilter surrogateFilter(
            QuireProperties properties,
            GuardHits hits,
            PageAssembly assembly,
            ObjectProvider<FragmentMarkers> markers,
            ObjectProvider<SecurityWatch> security,
            ObjectProvider<Placeholder> placeholder) {
        return new SurrogateFilter(
                properties,
                new CommitGuard(properties, assembly.documents(), hits, markers.getIfAvailable()),
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
        var registration = new FilterRegistrationBean<>(filter);
        registration.setOrder(SurrogateFilter.ORDER);
        registration.setDispatcherTypes(
                EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR));
        return registration;
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

    /** Returns an observer that notifies all of {@code observers}. */
    private static AssemblyObserver all(List<AssemblyObserver> observers) {
        return switch (observers.size()) {
            case 0 -> AssemblyObserver.NONE;
            case 1 -> observers.getFirst();
            default -> page -> observers.forEach(each -> each.assembled(page));
        };
    }
}
