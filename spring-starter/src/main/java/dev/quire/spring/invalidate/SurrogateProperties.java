package dev.quire.spring.invalidate;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Surrogates that are told what is no longer true.
 *
 * @param urls where each of them takes invalidations: the admin address of Quire, an address of
 *     Varnish, the service at Fastly's API; none, and nobody is told
 * @param type what they are
 * @param token secret that makes them listen: the bearer token of Quire, the key of Fastly
 * @param timeout longest time that one request to a surrogate may take
 */
@ConfigurationProperties("quire.surrogate")
public record SurrogateProperties(
        @DefaultValue List<URI> urls,
        @DefaultValue("quire") SurrogateProperties.Type type,
        @Nullable String token,
        @DefaultValue("2s") Duration timeout) {

    /** What a surrogate is. */
    public enum Type {
        /** Quire, by its admin API. */
        QUIRE,
        /** Varnish, by requests of method BAN that its VCL understands. */
        VARNISH,
        /** Fastly, or what takes purges in its form. */
        FASTLY,
        /** Nobody is told. */
        NONE
    }

    public SurrogateProperties {
        urls = List.copyOf(urls);
        // as a variable of the environment that is not set leaves it
        token = token == null || token.isEmpty() ? null : token;
        check(urls, type, Optional.ofNullable(token), "quire.surrogate");
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException(
                    "quire.surrogate.timeout: %s is out of range (expected more than 0s)"
                            .formatted(timeout));
        }
    }

    /** Says what is wrong with where surrogates are, if anything is. */
    static void check(List<URI> urls, Type type, Optional<String> token, String where) {
        for (var url : urls) {
            if (!Invalidation.isAbsolute(url) || url.getRawQuery() != null) {
                throw new IllegalArgumentException(
                        "%s.urls: '%s' is not a surrogate address (expected for example http://127.0.0.1:9901)"
                                .formatted(where, url));
            }
        }
        if (token.isPresent() && !token.get().matches("[!-~]+")) {
            throw new IllegalArgumentException(
                    where + ".token: is empty or contains characters other than visible ASCII");
        }
        if (type == Type.FASTLY && !urls.isEmpty() && token.isEmpty()) {
            throw new IllegalArgumentException(
                    where + ".token: is missing (Fastly requires a key for purges)");
        }
    }

    @Override
    public String toString() {
        return "SurrogateProperties[urls=%s, type=%s, timeout=%s]".formatted(urls, type, timeout);
    }
}
