package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.Assembler;
import dev.quire.core.assemble.AssemblyNotes;
import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.core.assemble.Limits;
import dev.quire.core.expression.RequestVariables;
import dev.quire.core.expression.VariableRules;
import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.exchange.SecurityWatch;
import dev.quire.spring.internal.fields.Documents;
import dev.quire.spring.internal.settings.QuireProperties;
import dev.quire.spring.internal.stamp.Placeholder;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Assembles pages in the application with the core's parser and assembler, so that a client without
 * a surrogate gets the same bytes. Runs on the thread of the page.
 */
public final class PageAssembly {

    private static final Logger log = LoggerFactory.getLogger(PageAssembly.class);

    private final QuireProperties.Fallback fallback;
    private final Documents documents;
    private final SecurityWatch security;
    private final FragmentSelection selection;
    private final @Nullable Loopback loopback;
    private final ServletInputs.Source source;
    private final AssemblyObserver observer;
    private final boolean isObserved;
    private final Limits limits;
    private final RequestVariables.Rules variables;
    private final LogOnce warnings = LogOnce.of(PageAssembly.class);
    private final DocumentParser reader;
    private final AtomicBoolean told = new AtomicBoolean();

    /**
     * Assembly for one application.
     *
     * @param placeholder marks the tags of a document
     * @param loopback null if the server cannot be reached
     * @param observer notified of each page, on its thread, before it is sent
     */
    public PageAssembly(
            QuireProperties properties,
            Placeholder placeholder,
            SecurityWatch security,
            FragmentSelection selection,
            @Nullable Loopback loopback,
            ServletInputs.Source source,
            AssemblyObserver observer) {
        this.fallback = properties.fallback();
        this.documents = Documents.of(properties.contentTypes());
        this.security = security;
        this.selection = selection;
        this.loopback = loopback;
        this.source = source;
        this.observer = observer;
        this.isObserved = !observer.equals(AssemblyObserver.NONE);
        this.limits =
                new Limits(
                        fallback.maxDepth(),
                        fallback.maxIncludes(),
                        Limits.DEFAULT.maxInFlight(),
                        fallback.buffer().toBytes());
        this.variables =
                new RequestVariables.Rules(
                        new VariableRules(
                                fallback.deniedCookies(),
                                fallback.decodeQuery(),
                                Optional.empty(),
                                fallback.variables(),
                                fallback.escape() == QuireProperties.Fallback.Escaping.HTML));
        this.reader = new DocumentParser(fallback, placeholder, warnings);
    }

    /** Returns the media types of pages. */
    public Documents documents() {
        return documents;
    }

    public int mostHeldBytes() {
        return (int) fallback.buffer().toBytes();
    }

    public boolean isOn() {
        return switch (fallback.mode()) {
            case DISPATCH, LOOPBACK, AUTO -> true;
            case OFF -> false;
        };
    }

    /** Returns the application's limits with the page's own overrides. */
    private Limits limits(HttpServletRequest request) {
        var exchange = GuardedExchange.of(request);
        var policy = exchange == null ? null : exchange.policy().orElse(null);
        return policy == null || policy.maxIncludes().isEmpty()
                ? limits
                : new Limits(
                        limits.maxDepth(),
                        policy.maxIncludes().getAsInt(),
                        limits.maxInFlight(),
                        limits.maxBufferedBytes());
    }

    /**
     * Returns the page at {@code request} with its fragments in place, or with the reason for its
     * failure.
     *
     * @throws dev.quire.core.parse.UnsoundPageException in strict mode, if a document has faults
     */
    public AssembledPage assemble(
            HttpServletRequest request, HttpServletResponse response, byte[] page) {
        if (told.compareAndSet(false, true)) {
            log.warn(
                    "no surrogate in front: {} is assembled inside the application, as is every page with ESI tags (logged once)",
                    request.getRequestURI());
        }
        var key = key(request);
        var assembled = new AssembledPage(key, warnings);
        var notes = isObserved ? notes(key, response) : null;
        var fragments = fragments(request, response, page.length, notes);
        var assembler =
                new Assembler<>(
                        fragments,
                        assembled,
                        limits(request),
                        fallback.onError(),
                        new ServletInputs(request, key, variables, source));
        // filters of a fragment clear these on this thread, as at the end of a request
        var securityContext = security.keep();
        var requestAttributes = RequestContextHolder.getRequestAttributes();
        var locale = LocaleContextHolder.getLocaleContext();
        try {
            var compiled = reader.read(page, key, response.getContentType());
            assembler.start(key, new FragmentBody(page, response.getStatus(), compiled));
            assembler.drain();
            while (!assembled.isFinished() && fragments.advance()) {
                assembler.drain();
            }
        } finally {
            fragments.end();
            LocaleContextHolder.setLocaleContext(locale);
            RequestContextHolder.setRequestAttributes(requestAttributes);
            securityContext.run();
            if (notes != null) {
                observer.assembled(notes.assembly(key, container(request).getRemotePort()));
            }
        }
        if (!assembled.isFinished()) {
            throw new IllegalStateException(
                    "every fragment has answered, but " + key.url() + " is not complete");
        }
        return assembled;
    }

    private static AssemblyNotes notes(CacheKey key, HttpServletResponse response) {
        var notes = new AssemblyNotes(System::nanoTime);
        var fields = new Fields.Builder();
        for (var name : new LinkedHashSet<>(response.getHeaderNames())) {
            response.getHeaders(name).forEach(value -> fields.add(name, value));
        }
        notes.page(
                key, response.getStatus(), response.getStatus(), fields.build(), Optional.empty());
        return notes;
    }

    /** Returns the source of one page's fragments, with its transport. */
    private PageFragments fragments(
            HttpServletRequest request,
            HttpServletResponse response,
            int pageBytes,
            @Nullable AssemblyNotes notes) {
        var container = container(request);
        var fields = LoopbackPage.fieldsOf(container);
        var allowance = new ByteBudget(mostHeldBytes() - pageBytes);
        var dispatch = new FragmentDispatch(container, fields, response, allowance, isObserved);
        var rules =
                new PageFragments.Rules(
                        container.getContextPath(),
                        fallback.timeout(),
                        documents,
                        reader,
                        selection,
                        notes);
        if (loopback == null
                || loopback.address() == null
                || fallback.mode() == QuireProperties.Fallback.Mode.DISPATCH) {
            return new PageFragments(dispatch, rules);
        }
        return new ParallelFragments(
                dispatch,
                rules,
                loopback,
                LoopbackPage.of(container, fields, allowance),
                fallback.mode() == QuireProperties.Fallback.Mode.AUTO);
    }

    /**
     * Returns the key of the page that the client requested; an error page uses that of the failed
     * page.
     */
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
