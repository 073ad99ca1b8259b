package dev.quire.spring.internal.exchange;

import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiResponse;
import dev.quire.spring.FragmentPolicy;
import dev.quire.spring.internal.policy.TagTemplate;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.ServletWebRequest;

/** The policy that code sets for one response. Confined to its exchange's threads. */
public final class ResponseTerms implements EsiResponse {

    private ServletWebRequest request;
    private final @Nullable GuardedExchange exchange;
    private final List<TagTemplate> tags = new ArrayList<>();
    private @Nullable Duration ttl;
    private @Nullable Duration stale;
    private @Nullable Duration staleIfError;
    private @Nullable String browser;
    private boolean privateOnly;
    private boolean tagUnusable;
    private boolean aboutFailure;

    /**
     * Empty terms.
     *
     * @param request the request that Spring handles, which receives a 304
     * @param exchange notified of changes; null for none
     */
    public ResponseTerms(ServletWebRequest request, @Nullable GuardedExchange exchange) {
        this.request = request;
        this.exchange = exchange;
    }

    /** Returns the terms of {@code request}, created on first use. */
    public static EsiResponse of(HttpServletRequest request) {
        var exchange = GuardedExchange.of(request);
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

    /** Whether code made the response private. */
    public boolean isPrivateOnly() {
        return privateOnly;
    }

    /** Whether code set an invalid tag. */
    public boolean hasUnusableTag() {
        return tagUnusable;
    }

    /** Sets the request that Spring handles now, which receives a 304. */
    public void handledAs(ServletWebRequest handled) {
        request = handled;
    }

    /**
     * Called when an exception handler takes over: values set before did not apply to the error.
     */
    public void aboutFailure() {
        if (!aboutFailure) {
            aboutFailure = true;
            ttl = null;
            stale = null;
            staleIfError = null;
            browser = null;
            said();
        }
    }

    /** Whether code set a lifetime for an error. */
    public boolean keepsFailure(boolean ofErrorDispatch) {
        return ttl != null && (aboutFailure || ofErrorDispatch);
    }

    /** Returns the policy in force if {@code declared} is declared. */
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
        var handler = exchange == null ? GuardedExchange.NO_HANDLER : exchange.handler();
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
