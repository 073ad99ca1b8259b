package dev.quire.spring.internal.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Spring Security for pages assembled from fragments.
 *
 * @param enabled whether every filter chain is adapted to fragments
 */
@ConfigurationProperties("quire.security")
public record FragmentSecurityProperties(@DefaultValue("true") boolean enabled) {}
