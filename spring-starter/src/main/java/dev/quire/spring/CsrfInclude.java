package dev.quire.spring;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.support.RequestContextUtils;

/** Where a page finds the hidden input with its reader's CSRF token. */
final class CsrfInclude {

    private CsrfInclude() {}

    /**
     * For the request this thread answers.
     *
     * @throws IllegalStateException if it answers none, or nobody makes tokens
     */
    static Esi.Include current() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes known) {
            return of(known.getRequest());
        }
        throw new IllegalStateException(
                "the include of a CSRF token needs the request it is for, and the thread '%s' answers none (expected a call on the thread of the handler)"
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
                    "there is no fragment with a CSRF token (expected Spring Security among the dependencies)");
        }
        return Esi.include(request.getContextPath() + properties.path()).onError(OnError.CONTINUE);
    }
}
