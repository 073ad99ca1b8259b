package dev.quire.spring.internal.autoconfigure;

import dev.quire.spring.internal.handler.EsiArguments;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Arguments of handlers. They are resolved even if the starter is disabled, so that the same
 * handlers still work; calls on them then have no effect.
 */
@AutoConfiguration
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
public final class QuireArgumentsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "esiArgumentsConfigurer")
    WebMvcConfigurer esiArgumentsConfigurer() {
        return new WebMvcConfigurer() {
            @Override
            public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
                resolvers.add(new EsiArguments());
            }
        };
    }
}
