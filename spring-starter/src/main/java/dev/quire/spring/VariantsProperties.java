package dev.quire.spring;

import dev.quire.core.policy.SignedVariant;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the surrogate in front learns which variant of a response a reader gets.
 *
 * @param cookie name of the signed cookie that says so; the proxy's configuration has the same
 * @param secret what the cookie is signed with, at least 32 characters; the proxy's configuration
 *     has the same. Without one (or empty) no cookie is written, and responses that differ are
 *     private
 * @param maxAge how long a cookie is believed; it is renewed before that
 * @param roles values of the variant role, the first that a reader has counts: names of roles,
 *     without the prefix ROLE_
 */
@ConfigurationProperties("quire.variants")
public record VariantsProperties(
        @DefaultValue("esi-variant") String cookie,
        @Nullable String secret,
        @DefaultValue("12h") Duration maxAge,
        @DefaultValue List<String> roles) {

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
            if (!SignedVariant.isWord(value(role)) || value(role).equals(RoleVariant.NONE)) {
                throw new IllegalArgumentException(
                        "quire.variants.roles: '%s' is not usable as a variant value (expected 1 to 32 letters, digits, hyphens and underscores, but not the word none)"
                                .formatted(role));
            }
        }
    }

    /** What the variant calls {@code role}. */
    static String value(String role) {
        return role.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "VariantsProperties[cookie=%s, maxAge=%s, roles=%s]"
                .formatted(cookie, maxAge, roles);
    }
}
