package dev.quire.spring;

import dev.quire.spring.internal.settings.CsrfFragmentProperties;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.support.RequestContextUtils;

/** The include of the hidden input with the client's CSRF token. */
final class CsrfInclude {

    private CsrfInclude() {}

    /**
     * Returns the include for the current request.
     *
     * @throws IllegalStateException if this thread handles no request, or no tokens are configured
     */
    static Esi.Include current() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes known) {
            return of(known.getRequest());
        }
        throw new IllegalStateException(
                "an include of the CSRF token needs the current request, but the thread '%s' handles no request (expected a call on the handler's thread)"
                        .formatted(Thread.currentThread().getName()));
    }

    private static Esi.Include of(HttpServletRequest request) {
        var application = RequestContextUtils.findWebApplicationContext(request);
        var properties =
                application == null
                        ? null
                        : application
                                .getBeanProvider(CsrfFragmentProperties.class)
                                .getIfAvailable();
        if (properties == null) {
            throw new IllegalStateException(
                    "the CSRF token fragment is not configured (expected Spring Security on the class path)");
        }
        return Esi.include(request.getContextPath() + properties.path()).onError(OnError.CONTINUE);
    }
}
