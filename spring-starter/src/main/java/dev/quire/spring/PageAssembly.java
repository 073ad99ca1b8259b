package dev.quire.spring;

import dev.quire.core.assemble.Assembler;
import dev.quire.core.assemble.Limits;
import dev.quire.core.assemble.Plan;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.Scheme;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.policy.CacheKey;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Assembles pages inside the application with the core's own parser and assembler, so that a client
 * without a surrogate in front gets the same bytes. Runs on the thread of the page.
 */
final class PageAssembly {

    private static final Logger log = LoggerFactory.getLogger(PageAssembly.class);

    private static final Limits LIMITS = Limits.DEFAULT;

    private final QuireProperties.Fallback fallback;
    private final SecurityWatch security;
    private final AtomicBoolean told = new AtomicBoolean();

    PageAssembly(QuireProperties.Fallback fallback, SecurityWatch security) {
        this.fallback = fallback;
        this.security = security;
    }

    boolean isOn() {
        return switch (fallback.mode()) {
            case DISPATCH -> true;
            case OFF -> false;
        };
    }

    /** The page at {@code request} with its fragments in place. */
    AssembledPage assemble(HttpServletRequest request, HttpServletResponse response, byte[] page) {
        if (told.compareAndSet(false, true)) {
            log.warn(
                    "no surrogate in front: {} is assembled inside the application, as every page with ESI tags will be (said once)",
                    request.getRequestURI());
        }
        var key = key(request);
        var assembled = new AssembledPage(key.url());
        var left = (int) fallback.buffer().toBytes() - page.length;
        var assembler =
                new Assembler<>(
                        new FragmentDispatch(container(request), response, left),
                        assembled,
                        LIMITS);
        // a fragment's filters leave this thread as at the end of a request
        var securityContext = security.keep();
        var requestAttributes = RequestContextHolder.getRequestAttributes();
        var locale = LocaleContextHolder.getLocaleContext();
        try {
            assembler.start(key, new FragmentBody(page, plan(page, key)));
        } finally {
            LocaleContextHolder.setLocaleContext(locale);
            RequestContextHolder.setRequestAttributes(requestAttributes);
            securityContext.run();
        }
        assembler.drain();
        if (!assembled.isFinished()) {
            throw new IllegalStateException(
                    "every fragment has answered, but " + key.url() + " is not whole");
        }
        return assembled;
    }

    static Plan plan(byte[] document, CacheKey base) {
        var parser = new EsiParser();
        parser.feed(ByteBuffer.wrap(document));
        return Plan.of(
                parser.finish(), base, ReferenceResolver.OWN_AUTHORITY, LIMITS.maxIncludes());
    }

    /** The page as its client asked for it; an error page stands where the failed one stood. */
    private static CacheKey key(HttpServletRequest request) {
        boolean error = request.getDispatcherType() == DispatcherType.ERROR;
        var path = request.getRequestURI();
        var query = request.getQueryString();
        if (error
                && request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI) instanceof String of) {
            path = of;
        }
        return new CacheKey(
                request.getScheme().equalsIgnoreCase("https") ? Scheme.HTTPS : Scheme.HTTP,
                request.getServerName() + ":" + request.getServerPort(),
                query == null ? path : path + "?" + query);
    }

    private static HttpServletRequest container(HttpServletRequest request) {
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        return (HttpServletRequest) innermost;
    }
}
