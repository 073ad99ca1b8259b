package dev.quire.spring.internal.variant;

import dev.quire.spring.VariantResolver;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.context.SecurityContextHolder;

/** Whether the user is logged in. */
public final class LoginVariant implements VariantResolver {

    private static final String ANONYMOUS = "anonymous";
    private static final String MEMBER = "member";

    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

    @Override
    public String name() {
        return "login";
    }

    @Override
    public Set<String> values() {
        return Set.of(ANONYMOUS, MEMBER);
    }

    @Override
    public String initial() {
        return ANONYMOUS;
    }

    @Override
    public String resolve(HttpServletRequest request) {
        return trust.isAuthenticated(SecurityContextHolder.getContext().getAuthentication())
                ? MEMBER
                : ANONYMOUS;
    }
}
