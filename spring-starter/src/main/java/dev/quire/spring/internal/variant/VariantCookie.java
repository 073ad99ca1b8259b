package dev.quire.spring.internal.variant;

import dev.quire.core.policy.SignedVariant;
import dev.quire.spring.internal.settings.VariantsProperties;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;

/**
 * The signed cookie that tells a surrogate in front the client's variant. With Spring Security it
 * is written at login and removed at logout; an application with another login calls {@link #write}
 * itself. A response that sets it is private.
 */
public final class VariantCookie {

    private final DeclaredVariants variants;
    private final VariantsProperties properties;
    private final Clock clock;
    private final SignedVariant.@Nullable Key key;

    public VariantCookie(DeclaredVariants variants, VariantsProperties properties, Clock clock) {
        this.variants = variants;
        this.properties = properties;
        this.clock = clock;
        var secret = properties.secret();
        this.key = secret == null ? null : new SignedVariant.Key(properties.cookie(), secret);
    }

    /**
     * Sets the cookie for the user of {@code request}; does nothing without a configured secret.
     */
    public void write(HttpServletRequest request, HttpServletResponse response) {
        if (key == null || variants.names().isEmpty() || response.isCommitted()) {
            return;
        }
        var values = variants.resolved(request, variants.names());
        if (values.equals(variants.initial(variants.names()))) {
            clear(request, response);
            return;
        }
        var variant = SignedVariant.of(values, clock.instant().plus(properties.maxAge()));
        add(request, response, key.sign(variant), null);
    }

    /** Removes the cookie: the client is anonymous again. */
    public void clear(HttpServletRequest request, HttpServletResponse response) {
        if (key != null && said(request) != null) {
            add(request, response, "", Duration.ZERO);
        }
    }

    /**
     * Rewrites the cookie if the one in {@code request} is outdated, expires soon or is invalid;
     * also if it is missing and the variant is not the default.
     */
    void renew(HttpServletRequest request, HttpServletResponse response) {
        if (key == null || variants.names().isEmpty()) {
            return;
        }
        var said = said(request);
        var now = clock.instant();
        var believed = said == null ? Optional.<SignedVariant>empty() : key.verify(said, now);
        var values = variants.resolved(request, variants.names());
        boolean isTrue = values.equals(saidBy(believed));
        boolean isNeeded = said != null || !isTrue;
        if (isNeeded && !(isTrue && lasts(believed, now))) {
            write(request, response);
        }
    }

    private SortedMap<String, String> saidBy(Optional<SignedVariant> believed) {
        var values = variants.initial(variants.names());
        believed.ifPresent(one ->
                values.replaceAll((name, initial) -> one.values().getOrDefault(name, initial)));
        return values;
    }

    private boolean lasts(Optional<SignedVariant> believed, Instant now) {
        return believed.map(one -> Duration.between(now, one.expires()))
                .filter(left -> left.compareTo(properties.maxAge().dividedBy(4)) >= 0)
                .isPresent();
    }

    private @Nullable String said(HttpServletRequest request) {
        Cookie[] cookies = request.getCookies();
        if (cookies != null) {
            for (var cookie : cookies) {
                if (cookie.getName().equals(properties.cookie())) {
                    return cookie.getValue();
                }
            }
        }
        return null;
    }

    /**
     * Adds the cookie. It carries its own expiry: the browser keeps it for the session, so that an
     * expired one is still sent and gets renewed.
     */
    private void add(
            HttpServletRequest request,
            HttpServletResponse response,
            String value,
            @Nullable Duration age) {
        var cookie =
                ResponseCookie.from(properties.cookie(), value)
                        .path("/")
                        .httpOnly(true)
                        .secure(request.isSecure())
                        .sameSite("Lax");
        if (age != null) {
            cookie.maxAge(age);
        }
        response.addHeader(HttpHeaders.SET_COOKIE, cookie.build().toString());
    }
}
