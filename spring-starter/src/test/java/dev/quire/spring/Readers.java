package dev.quire.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** Basic login for two users; only {@code /members} requires it. */
@Configuration(proxyBeanMethods = false)
class Readers {

    @Bean
    SecurityFilterChain chain(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests ->
                        requests.requestMatchers("/members/**")
                                .authenticated()
                                .anyRequest()
                                .permitAll())
                .httpBasic(basic -> {})
                .build();
    }

    /** Compares plain text: the default encoder upgrades the passwords to a slow hash. */
    @Bean
    PasswordEncoder passwords() {
        return new PasswordEncoder() {
            @Override
            public String encode(@Nullable CharSequence raw) {
                return String.valueOf(raw);
            }

            @Override
            public boolean matches(@Nullable CharSequence raw, @Nullable String encoded) {
                return String.valueOf(encoded).contentEquals(String.valueOf(raw));
            }
        };
    }

    @Bean
    UserDetailsService userDetails() {
        return new InMemoryUserDetailsManager(
                User.withUsername("reader1").password("1").roles("READER").build(),
                User.withUsername("reader2").password("2").roles("READER").build());
    }
}
