package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.SurrogateConnectionDetails;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Surrogates that receive invalidations.
 *
 * @param urls addresses that accept invalidations: Quire's admin address, a Varnish address, or the
 *     service at Fastly's API; empty to send none
 * @param type product of the surrogates
 * @param token secret sent to the surrogates: Quire's bearer token, or Fastly's API key
 * @param timeout longest duration of one request to a surrogate
 */
@ConfigurationProperties("quire.surrogate")
public record SurrogateProperties(
        @DefaultValue List<URI> urls,
        @DefaultValue("quire") SurrogateConnectionDetails.Type type,
        @Nullable String token,
        @DefaultValue("2s") Duration timeout) {

    public SurrogateProperties {
        urls = List.copyOf(urls);
        // an unset environment variable gives an empty text
        token = token == null || token.isEmpty() ? null : token;
        check(urls, type, Optional.ofNullable(token), "quire.surrogate");
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException(
                    "quire.surrogate.timeout: %s is out of range (expected more than 0s)"
                            .formatted(timeout));
        }
    }

    /** Throws {@link IllegalArgumentException} if the settings are not valid. */
    static void check(
            List<URI> urls,
            SurrogateConnectionDetails.Type type,
            Optional<String> token,
            String where) {
        for (var url : urls) {
            if (!InvalidationKeys.isAbsolute(url) || url.getRawQuery() != null) {
                throw new IllegalArgumentException(
                        "%s.urls: '%s' is not a surrogate address (expected for example http://127.0.0.1:9901)"
                                .formatted(where, url));
            }
        }
        if (token.isPresent() && !token.get().matches("[!-~]+")) {
            throw new IllegalArgumentException(
                    where + ".token: is empty or contains characters other than visible ASCII");
        }
        if (type == SurrogateConnectionDetails.Type.FASTLY && !urls.isEmpty() && token.isEmpty()) {
            throw new IllegalArgumentException(
                    where + ".token: is missing (Fastly requires a key for purges)");
        }
    }

    @Override
    public String toString() {
        return "SurrogateProperties[urls=%s, type=%s, timeout=%s]".formatted(urls, type, timeout);
    }
}
