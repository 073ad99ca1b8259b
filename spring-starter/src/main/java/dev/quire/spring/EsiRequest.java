package dev.quire.spring;

import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.exchange.VariantChoice;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ESI data of a request, as a handler's argument or by {@link #of(HttpServletRequest)}. Only
 * data from a trusted surrogate is used.
 *
 * @param surrogate whether the response will be assembled, by a surrogate in front or by the
 *     application itself
 * @param depth levels below the page; 0 for a page
 * @param page URL of the document that includes this fragment, without its query
 * @param variant the variant of the response among those the handler declares ({@link
 *     EsiFragment#vary()}): {@code login:member}; {@link EsiVariant} gives a single value
 */
public record EsiRequest(
        boolean surrogate, int depth, Optional<String> page, Optional<String> variant) {

    private static final EsiRequest DIRECT =
            new EsiRequest(false, 0, Optional.empty(), Optional.empty());

    public EsiRequest {
        if (depth < 0) {
            throw new IllegalArgumentException("depth must not be negative: " + depth);
        }
    }

    public static EsiRequest of(HttpServletRequest request) {
        var exchange = GuardedExchange.of(request);
        if (exchange == null || !exchange.hasSurrogate()) {
            return DIRECT;
        }
        return new EsiRequest(
                true,
                depth(request.getHeader("X-ESI-Level")),
                Optional.ofNullable(request.getHeader("X-ESI-Parent")),
                exchange.variant().map(VariantChoice::text));
    }

    private static int depth(@Nullable String level) {
        // no known surrogate uses more than two digits
        return level != null && level.matches("\\d{1,2}") ? Integer.parseInt(level) : 0;
    }
}
