package dev.quire.spring.internal.variant;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.web.authentication.session.SessionAuthenticationStrategy;

/** Writes the {@link VariantCookie} on successful login of any kind. */
public record VariantLogin(VariantCookie cookie) implements SessionAuthenticationStrategy {

    /** Sets the new context temporarily, so that the variant is that of the user who logged in. */
    @Override
    public void onAuthentication(
            Authentication who, HttpServletRequest request, HttpServletResponse response) {
        var before = SecurityContextHolder.getDeferredContext();
        SecurityContextHolder.setContext(new SecurityContextImpl(who));
        try {
            cookie.write(request, response);
        } finally {
            SecurityContextHolder.setDeferredContext(before);
        }
    }
}
