package dev.quire.core.policy;

import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** Resolves the reference in a response's Content-Location (RFC 9110 §8.7). */
final class Location {
    private Location() {}

    /** Whether {@code reference} resolves to exactly the target of {@code request}. */
    static boolean isTarget(String reference, RequestHead request) {
        try {
            var target = CacheKey.of(request);
            var resolved = new URI(target.url()).resolve(new URI(reference.strip()));
            return resolved.getRawFragment() == null
                    && resolved.getRawUserInfo() == null
                    && isOf(resolved, target.scheme())
                    && resolved.getRawAuthority() != null
                    && target.equals(
                            new CacheKey(
                                    target.scheme(),
                                    resolved.getRawAuthority(),
                                    pathAndQuery(resolved)));
        } catch (URISyntaxException noReference) {
            return false;
        }
    }

    private static boolean isOf(URI uri, Scheme scheme) {
        return uri.getScheme() != null
                && uri.getScheme().toLowerCase(Locale.ROOT).equals(scheme.text());
    }

    private static String pathAndQuery(URI uri) {
        var path = uri.getRawPath();
        var query = uri.getRawQuery();
        return (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
    }
}
