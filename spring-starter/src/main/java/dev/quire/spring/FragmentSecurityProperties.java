package dev.quire.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Spring Security for pages that are put together of fragments.
 *
 * @param enabled whether every filter chain is made fit for fragments
 */
@ConfigurationProperties("quire.security")
public record FragmentSecurityProperties(@DefaultValue("true") boolean enabled) {}
