package dev.quire.spring;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.ServletWebRequest;

/**
 * What code has said about one response. Belongs to its exchange, and to the exchange's threads.
 */
final class ResponseTerms implements EsiResponse {

    private ServletWebRequest request;
    private final @Nullable Exchange exchange;
    private final List<TagTemplate> tags = new ArrayList<>();
    private @Nullable Duration ttl;
    private @Nullable Duration stale;
    private @Nullable Duration staleIfError;
    private @Nullable String browser;
    private boolean privateOnly;
    private boolean tagUnusable;
    private boolean aboutFailure;

    /**
     * Nothing said yet.
     *
     * @param request the one Spring handles, so that it hears of a 304
     * @param exchange who hears what is said; nobody when null
     */
    ResponseTerms(ServletWebRequest request, @Nullable Exchange exchange) {
        this.request = request;
        this.exchange = exchange;
    }

    /** Those of {@code request}, made when they are first asked for. */
    static EsiResponse of(HttpServletRequest request) {
        var exchange = Exchange.of(request);
        return exchange == null
                ? new ResponseTerms(new ServletWebRequest(request), null)
                : exchange.terms(() -> new ServletWebRequest(request, exchange.response()));
    }

    @Override
    public EsiResponse ttl(Duration time) {
        ttl = seconds(time);
        return said();
    }

    @Override
    public EsiResponse stale(Duration time) {
        stale = seconds(time);
        return said();
    }

    @Override
    public EsiResponse staleIfError(Duration time) {
        staleIfError = seconds(time);
        return said();
    }

    @Override
    public EsiResponse browser(String cacheControl) {
        FragmentPolicy.checkBrowser(cacheControl);
        browser = cacheControl;
        return said();
    }

    @Override
    public EsiResponse privateOnly() {
        privateOnly = true;
        return said();
    }

    @Override
    public EsiResponse tag(String... names) {
        for (var name : names) {
            if (TagTemplate.isTag(name)) {
                tags.add(TagTemplate.literal(name));
            } else {
                tagUnusable = true;
            }
        }
        return said();
    }

    @Override
    public boolean validator(String etag) {
        return request.checkNotModified(etag);
    }

    /** Whether the response is for the one who asked, by word of code. */
    boolean isPrivateOnly() {
        return privateOnly;
    }

    /** Whether a tag was said that can be none. */
    boolean hasUnusableTag() {
        return tagUnusable;
    }

    /** Spring handles {@code handled} now, and has to hear of a 304. */
    void handledAs(ServletWebRequest handled) {
        request = handled;
    }

    /**
     * A handler of exceptions speaks from here on: what was said before was not about the error.
     */
    void aboutFailure() {
        if (!aboutFailure) {
            aboutFailure = true;
            ttl = null;
            stale = null;
            staleIfError = null;
            browser = null;
            said();
        }
    }

    /** Whether code has said how long an error may be kept. */
    boolean keepsFailure(boolean ofErrorDispatch) {
        return ttl != null && (aboutFailure || ofErrorDispatch);
    }

    /** What counts when {@code declared} is declared. */
    @Nullable FragmentPolicy over(@Nullable FragmentPolicy declared) {
        if (declared == null) {
            return ttl == null ? null : changed(undeclared());
        }
        return declared.isPrivate() ? declared : changed(declared);
    }

    private FragmentPolicy changed(FragmentPolicy base) {
        var all = new ArrayList<>(base.tags());
        all.addAll(tags);
        return base.with(
                ttl == null ? base.ttl() : ttl,
                stale == null ? base.stale() : Optional.of(stale),
                staleIfError == null ? base.staleIfError() : Optional.of(staleIfError),
                browser == null ? base.browser() : browser,
                all);
    }

    private FragmentPolicy undeclared() {
        var handler = exchange == null ? Exchange.NO_HANDLER : exchange.handler();
        return FragmentPolicy.plain(
                handler, "undeclared", FragmentPolicy.Kind.FRAGMENT, EsiFragment.Scope.PUBLIC);
    }

    private EsiResponse said() {
        if (exchange != null) {
            exchange.termsSaid();
        }
        return this;
    }

    private static Duration seconds(Duration time) {
        return time.isNegative() ? Duration.ZERO : Duration.ofSeconds(time.toSeconds());
    }
}
