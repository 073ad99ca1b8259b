package dev.quire.spring.internal.guard;

import dev.quire.spring.internal.assemble.PageAssembly;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.exchange.SecurityWatch;
import dev.quire.spring.internal.fields.Capabilities;
import dev.quire.spring.internal.fields.FragmentMark;
import dev.quire.spring.internal.fields.TrustedProxies;
import dev.quire.spring.internal.handler.PathRules;
import dev.quire.spring.internal.settings.QuireProperties;
import dev.quire.spring.internal.stamp.InertTags;
import dev.quire.spring.internal.stamp.Placeholder;
import dev.quire.spring.internal.stamp.StampFilter;
import dev.quire.spring.internal.stamp.TagWriter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * The filter between the container and the handlers. It sets the caching fields when a response
 * commits, and assembles pages if no surrogate does.
 *
 * <p>It is inside Spring Security's filters: it must see the responses that they let through, and
 * they write their own {@code Cache-Control} only if it is absent.
 */
public final class SurrogateFilter implements Filter {

    /** The order of the filter: directly inside Spring Security's chain. */
    public static final int ORDER = -90;

    private final CommitGuard guard;
    private final PageAssembly assembly;
    private final Capabilities capabilities;
    private final PathRules rules;
    private final SecurityWatch security;

    /** Request fields that identify a user, in any case. */
    private final Set<String> personalFields;

    private final boolean watchesLanguage;
    private final Placeholder placeholder;
    private final InertTags inert;

    public SurrogateFilter(
            QuireProperties properties,
            CommitGuard guard,
            PageAssembly assembly,
            SecurityWatch security,
            Placeholder placeholder) {
        this.guard = guard;
        this.assembly = assembly;
        this.capabilities = new Capabilities(TrustedProxies.of(properties.trustedProxies()));
        this.rules = PathRules.of(properties.rules());
        this.security = security;
        var fields = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        fields.add("Authorization");
        fields.addAll(properties.guard().headers());
        this.personalFields = Collections.unmodifiableSet(fields);
        this.watchesLanguage = properties.guard().locale() != QuireProperties.Guard.OnLocale.OFF;
        this.placeholder = placeholder;
        this.inert = new InertTags(placeholder);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest httpRequest
                && response instanceof HttpServletResponse httpResponse)) {
            chain.doFilter(request, response);
            return;
        }
        var running = GuardedExchange.of(request);
        boolean error = request.getDispatcherType() == DispatcherType.ERROR;
        if (running == null || error) {
            begin(httpRequest, httpResponse, chain, error);
        } else if (request.getDispatcherType() == DispatcherType.ASYNC) {
            resume(running, httpRequest, httpResponse, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void begin(
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            boolean error)
            throws IOException, ServletException {
        boolean forPage = FragmentMark.isOn(request);
        if (forPage && isHidden(request)) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        var exchange =
                new GuardedExchange(
                        forPage || capabilities.assembles(request),
                        error,
                        forPage && request.getSession(false) != null);
        var guarded =
                new GuardedResponse(
                        exchange,
                        request,
                        response,
                        guard,
                        assembly,
                        new Stamping(placeholder, StampFilter.stampOf(request), forPage, inert));
        exchange.answerWith(guarded);
        if (watchesLanguage) {
            // a handler of Spring names the resolver of the language later
            exchange.languageReads().watch(null);
        }
        if (!error) {
            rules.apply(request, exchange);
        }
        request.setAttribute(GuardedExchange.ATTRIBUTE, exchange);
        TagWriter.begin(request, placeholder, exchange::tagWritten);
        run(
                exchange,
                guarded,
                new GuardedRequest(
                        request, exchange, guarded, security, guard.lostSessions(), personalFields),
                guarded,
                chain);
    }

    /** Resumes an asynchronous request; its response is already guarded. */
    private void resume(
            GuardedExchange exchange,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws IOException, ServletException {
        if (!(exchange.response() instanceof GuardedResponse guarded)) {
            throw new IllegalStateException(
                    "resumed a request whose response is a %s (expected a guarded response)"
                            .formatted(exchange.response().getClass().getName()));
        }
        guarded.refuseIfBroken();
        run(exchange, guarded, request, response, chain);
    }

    private void run(
            GuardedExchange exchange,
            GuardedResponse guarded,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws IOException, ServletException {
        security.watch(exchange);
        try {
            chain.doFilter(request, response);
            if (!request.isAsyncStarted()) {
                exchange.handlingEnds();
                guarded.finish();
                exchange.ended(guarded.getStatus() >= HttpServletResponse.SC_BAD_REQUEST);
            } else if (!WebAsyncUtils.getAsyncManager(request).isConcurrentHandlingStarted()) {
                exchange.handlingResumes();
            }
        } catch (Throwable failure) {
            exchange.handlingEnds();
            guarded.failed(failure);
            exchange.ended(true);
            throw failure;
        } finally {
            if (guarded.isBroken()) {
                // here, because a transaction of the handler would keep or drop it
                guard.lateReads().invalidate(request);
            }
        }
    }

    /** Whether the container hides the path from clients; a dispatch would serve it. */
    private static boolean isHidden(HttpServletRequest request) {
        var info = request.getPathInfo();
        var path = (request.getServletPath() + (info == null ? "" : info)).toUpperCase(Locale.ROOT);
        return path.startsWith("/WEB-INF") || path.startsWith("/META-INF");
    }
}
