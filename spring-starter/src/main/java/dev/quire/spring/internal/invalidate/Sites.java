package dev.quire.spring.internal.invalidate;

import java.net.URI;
import java.util.List;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/**
 * The base URLs of the application as clients see them.
 *
 * @param named configured URLs; if empty, that of the current request
 */
public record Sites(List<URI> named) {

    public Sites {
        named = List.copyOf(named);
    }

    /**
     * Returns the URLs for {@code url}: itself, or if it begins with a slash, that path on every
     * site.
     *
     * @throws IllegalArgumentException if it is not a URL, or if it is a path and no site is known
     */
    List<URI> resolve(String url) {
        if (!url.startsWith("/") || url.startsWith("//")) {
            var absolute = URI.create(url);
            if (!InvalidationKeys.isAbsolute(absolute)) {
                throw new IllegalArgumentException(
                        "'%s' is neither an absolute URL nor a path that begins with a slash"
                                .formatted(url));
            }
            return List.of(absolute);
        }
        return sites().stream().map(site -> site.resolve(url)).toList();
    }

    private List<URI> sites() {
        if (!named.isEmpty()) {
            return named;
        }
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes now) {
            var builder = ServletUriComponentsBuilder.fromContextPath(now.getRequest());
            return List.of(builder.replacePath("/").build().toUri());
        }
        throw new IllegalArgumentException(
                "a path needs a site outside a request (set quire.invalidation.sites, for example to https://news.example)");
    }
}
