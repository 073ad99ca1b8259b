package dev.quire.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.csrf.CsrfToken;

/**
 * The guard's detection of users and CSRF tokens, and the login and role variants, if Spring
 * Security is present.
 */
@AutoConfiguration(before = QuireAutoConfiguration.class)
@ConditionalOnClass({SecurityContextHolder.class, CsrfToken.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
@EnableConfigurationProperties(VariantsProperties.class)
public final class QuireSecurityAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    SecurityWatch securityWatch() {
        return new SpringSecurityWatch();
    }

    @Bean
    @ConditionalOnMissingBean(name = "loginVariant")
    VariantResolver loginVariant() {
        return new LoginVariant();
    }

    @Bean
    @ConditionalOnMissingBean(name = "roleVariant")
    VariantResolver roleVariant(VariantsProperties properties) {
        return new RoleVariant(properties.roles());
    }
}
