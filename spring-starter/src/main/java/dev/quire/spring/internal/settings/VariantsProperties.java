package dev.quire.spring.internal.settings;

import dev.quire.core.policy.SignedVariant;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the surrogate in front learns the variant that a client gets.
 *
 * @param cookie name of the signed variant cookie, the same as in the proxy's configuration
 * @param secret key that signs the cookie, at least 32 characters, the same as in the proxy's
 *     configuration. Without it no cookie is written, and responses with variants are private
 * @param maxAge lifetime of a cookie; it is renewed before it expires
 * @param roles values of the variant role: role names without the prefix ROLE_; the first one that
 *     a user has applies
 */
@ConfigurationProperties("quire.variants")
public record VariantsProperties(
        @DefaultValue("esi-variant") String cookie,
        @Nullable String secret,
        @DefaultValue("12h") Duration maxAge,
        @DefaultValue List<String> roles) {

    /** The value of the variant role for users without any of the roles. */
    public static final String NO_ROLE = "none";

    public VariantsProperties {
        if (!cookie.matches("[A-Za-z0-9_.-]+")) {
            throw new IllegalArgumentException(
                    "quire.variants.cookie: '%s' is not a cookie name (expected for example esi-variant)"
                            .formatted(cookie));
        }
        secret = secret == null || secret.isEmpty() ? null : secret;
        if (secret != null && secret.length() < SignedVariant.MIN_SECRET) {
            throw new IllegalArgumentException(
                    "quire.variants.secret: %d characters are too few (expected at least %d)"
                            .formatted(secret.length(), SignedVariant.MIN_SECRET));
        }
        if (maxAge.toSeconds() < 60) {
            throw new IllegalArgumentException(
                    "quire.variants.max-age: %s is too short (expected 1m or more)"
                            .formatted(maxAge));
        }
        roles = List.copyOf(roles);
        for (var role : roles) {
            if (!SignedVariant.isWord(value(role)) || value(role).equals(NO_ROLE)) {
                throw new IllegalArgumentException(
                        "quire.variants.roles: '%s' is not usable as a variant value (expected 1 to 32 letters, digits, hyphens and underscores, but not the word none)"
                                .formatted(role));
            }
        }
    }

    public static String value(String role) {
        return role.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return "VariantsProperties[cookie=%s, maxAge=%s, roles=%s]"
                .formatted(cookie, maxAge, roles);
    }
}
