package dev.quire.spring.internal.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The fragment with a form's CSRF token.
 *
 * @param path path of the CSRF token fragment inside the application
 */
@ConfigurationProperties("quire.csrf")
public record CsrfFragmentProperties(@DefaultValue("/_esi/csrf") String path) {

    public CsrfFragmentProperties {
        if (!path.matches("/[A-Za-z0-9._~/-]+")) {
            throw new IllegalArgumentException(
                    "quire.csrf.path: '%s' is not a path (expected for example /_esi/csrf)"
                            .formatted(path));
        }
    }
}
