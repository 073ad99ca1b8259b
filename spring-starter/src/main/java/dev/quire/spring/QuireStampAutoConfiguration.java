package dev.quire.spring;

import jakarta.servlet.Filter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** What tags are written with, and where they may lead. */
@AutoConfiguration(before = QuireAutoConfiguration.class)
@ConditionalOnClass({Filter.class, DispatcherServlet.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
@EnableConfigurationProperties(StampProperties.class)
public final class QuireStampAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Placeholder stampPlaceholder(StampProperties properties) {
        return Placeholder.of(properties);
    }

    @Bean
    @ConditionalOnMissingBean
    FragmentRoutes fragmentRoutes(ObjectProvider<RequestMappingHandlerMapping> mappings) {
        return new FragmentRoutes(mappings);
    }
}
