package dev.quire.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.csrf.CsrfToken;

/** The guard's eye on users and CSRF tokens, where Spring Security is. */
@AutoConfiguration(before = QuireAutoConfiguration.class)
@ConditionalOnClass({SecurityContextHolder.class, CsrfToken.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
public final class QuireSecurityAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    SecurityWatch securityWatch() {
        return new SpringSecurityWatch();
    }
}
