package dev.quire.news.reader;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Access rules: kept articles need a login and the newsroom the role EDITOR; the rest is public.
 * Quire adds the rules for fragments.
 */
@Configuration(proxyBeanMethods = false)
class ReaderSecurity {
    @Bean
    SecurityFilterChain newsSecurity(HttpSecurity http) {
        return http.authorizeHttpRequests(requests ->
                        requests.requestMatchers("/main/scrap/**")
                                .authenticated()
                                .requestMatchers("/editor/**")
                                .hasRole("EDITOR")
                                .anyRequest()
                                .permitAll())
                .formLogin(login -> login.loginPage("/login").defaultSuccessUrl("/main/home.nhn"))
                .logout(logout -> logout.logoutSuccessUrl("/main/home.nhn"))
                .headers(headers ->
                        headers.contentSecurityPolicy(policy ->
                                policy.policyDirectives(
                                        "default-src 'none'; style-src 'self';"
                                                + " script-src 'self'; img-src 'self';"
                                                + " connect-src 'self'; form-action"
                                                + " 'self'; base-uri 'none';"
                                                + " frame-ancestors 'none'")))
                .build();
    }

    @Bean
    PasswordEncoder passwordEncoder() {
        return PasswordEncoderFactories.createDelegatingPasswordEncoder();
    }

    @Bean
    UserDetailsService readers(ReaderProperties properties, PasswordEncoder encoder) {
        var readers = new InMemoryUserDetailsManager();
        properties
                .editors()
                .forEach((name, password) ->
                        readers.createUser(
                                User.withUsername(name)
                                        .password(encoder.encode(password))
                                        .roles("READER", "EDITOR")
                                        .build()));
        properties
                .readers()
                .forEach((name, password) ->
                        readers.createUser(
                                User.withUsername(name)
                                        .password(encoder.encode(password))
                                        .roles("READER")
                                        .build()));
        return readers;
    }
}
