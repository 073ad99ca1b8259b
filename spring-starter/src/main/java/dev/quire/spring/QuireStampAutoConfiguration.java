package dev.quire.spring;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.EnumSet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The placeholder, the filter that replaces it with the stamp, and the routes for includes by
 * method.
 */
@AutoConfiguration(before = QuireAutoConfiguration.class)
@ConditionalOnClass({Filter.class, DispatcherServlet.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
@EnableConfigurationProperties({QuireProperties.class, StampProperties.class})
public final class QuireStampAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Placeholder stampPlaceholder(StampProperties properties) {
        return Placeholder.of(properties);
    }

    @Bean
    @ConditionalOnMissingBean
    StampFilter stampFilter(QuireProperties properties, Placeholder placeholder) {
        return new StampFilter(properties, placeholder);
    }

    @Bean
    @ConditionalOnMissingBean(name = "stampFilterRegistration")
    FilterRegistrationBean<StampFilter> stampFilterRegistration(StampFilter filter) {
        var registration = new FilterRegistrationBean<>(filter);
        registration.setOrder(StampFilter.ORDER);
        registration.setDispatcherTypes(
                EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR));
        return registration;
    }

    @Bean
    @ConditionalOnMissingBean
    FragmentRoutes fragmentRoutes(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<FragmentPolicies> policies) {
        return new FragmentRoutes(mappings, policies);
    }
}
