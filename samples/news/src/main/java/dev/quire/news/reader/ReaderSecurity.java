package dev.quire.news.reader;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.savedrequest.HttpSessionRequestCache;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.OrRequestMatcher;

/** Scraps need a login and the newsroom an editor; the rest of the paper is open to everyone. */
@Configuration(proxyBeanMethods = false)
class ReaderSecurity {
    private static final String SCRAP_PAGE = "/main/scrap/index.nhn";
    private static final String NEWSROOM = "/editor/**";

    @Bean
    SecurityFilterChain newsSecurity(HttpSecurity http) {
        // No other page may start a session: a page that does so cannot be stored.
        var askedFor = new HttpSessionRequestCache();
        askedFor.setRequestMatcher(
                new OrRequestMatcher(
                        PathPatternRequestMatcher.pathPattern(HttpMethod.GET, SCRAP_PAGE),
                        PathPatternRequestMatcher.pathPattern(HttpMethod.GET, NEWSROOM)));
        return http.authorizeHttpRequests(requests ->
                        requests.requestMatchers("/main/scrap/**")
                                .authenticated()
                                .requestMatchers(NEWSROOM)
                                .hasRole("EDITOR")
                                .anyRequest()
                                .permitAll())
                .requestCache(cache -> cache.requestCache(askedFor))
                .formLogin(login -> login.loginPage("/login").defaultSuccessUrl("/main/home.nhn"))
                .logout(logout -> logout.logoutSuccessUrl("/main/home.nhn"))
                .httpBasic(basic -> basic.disable())
                .csrf(withDefaults())
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
