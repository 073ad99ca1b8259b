package dev.quire.spring;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who asks, as a handler's argument or by {@link #of(HttpServletRequest)}. Only what a trusted
 * surrogate says is believed.
 *
 * @param surrogate whether somebody assembles what we write, be it a surrogate in front or the
 *     application itself
 * @param depth levels below the page; none for a page
 * @param page URL of the document that includes this fragment
 * @param variant which variant of the response is made, of those its handler declares ({@link
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

    /** What {@code request} tells. */
    public static EsiRequest of(HttpServletRequest request) {
        var exchange = Exchange.of(request);
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
        // nothing we know goes deeper than two digits
        return level != null && level.matches("\\d{1,2}") ? Integer.parseInt(level) : 0;
    }
}
