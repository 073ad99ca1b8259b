package dev.quire.spring.internal.settings;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The stamp that distinguishes ESI tags written by this application from tags in user content.
 *
 * @param enabled whether tags are stamped; if not, every tag in a document runs, including tags in
 *     user content
 * @param placeholder secret that marks tags while a page is rendered: 22 letters, digits, hyphens
 *     and underscores; random at start-up by default, must be set if rendered pages outlive the
 *     process
 */
@ConfigurationProperties("quire.stamp")
public record StampProperties(@DefaultValue("true") boolean enabled, @Nullable String placeholder) {

    private static final Pattern PLACEHOLDER = Pattern.compile("[A-Za-z0-9_-]{22}");

    public StampProperties {
        if (placeholder != null && !PLACEHOLDER.matcher(placeholder).matches()) {
            throw new IllegalArgumentException(
                    "quire.stamp.placeholder: a value of %d characters is malformed (expected 22 letters, digits, hyphens and underscores, for example from `openssl rand -base64 16 | tr +/ -_ | cut -c 1-22`)"
                            .formatted(placeholder.length()));
        }
    }

    /** Omits the placeholder, which is a secret. */
    @Override
    public String toString() {
        return "StampProperties[enabled=" + enabled + "]";
    }
}
