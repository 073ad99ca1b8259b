package dev.quire.spring;

import java.time.Clock;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Variants of public responses for groups of users. */
@AutoConfiguration(after = {QuireAutoConfiguration.class, QuireSecurityAutoConfiguration.class})
@ConditionalOnBean(SurrogateFilter.class)
@EnableConfigurationProperties(VariantsProperties.class)
public final class QuireVariantsAutoConfiguration {

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
}
