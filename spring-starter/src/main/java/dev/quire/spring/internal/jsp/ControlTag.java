package dev.quire.spring.internal.jsp;

import dev.quire.spring.EsiResponse;
import jakarta.servlet.jsp.JspException;
import jakarta.servlet.jsp.JspTagException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code <esi:control ttl="30s" tags="news article-7"/>}: sets the policy of this response, like
 * {@link EsiResponse}. It must come before any output.
 */
public final class ControlTag extends ElementTag {

    private @Nullable String ttl;
    private @Nullable String stale;
    private @Nullable String staleIfError;
    private @Nullable String browser;
    private String tags = "";
    private boolean privateOnly;

    /** Created by the JSP container. */
    public ControlTag() {}

    /** Sets the freshness lifetime. */
    public void setTtl(String duration) {
        ttl = duration;
    }

    /** Sets the grace: how long after that it may be served stale while it is refreshed. */
    public void setStale(String duration) {
        stale = duration;
    }

    /** Sets how long it may be served stale when fetching it fails. */
    public void setStaleIfError(String duration) {
        staleIfError = duration;
    }

    /** Sets {@code Cache-Control} for the client. */
    public void setBrowser(String cacheControl) {
        browser = cacheControl;
    }

    /** Adds tags to purge it by, space-separated. */
    public void setTags(String names) {
        tags = names;
    }

    /** Sets the scope: {@code public} leaves it to the other policies, {@code private} is final. */
    public void setScope(String scope) throws JspException {
        privateOnly =
                switch (scope) {
                    case "public" -> false;
                    case "private" -> true;
                    default ->
                            throw new JspTagException(
                                    "scope=\"%s\" of esi:control is not valid (expected public or private)"
                                            .formatted(scope));
                };
    }

    @Override
    public void doTag() throws JspException {
        if (page().getResponse().isCommitted()) {
            throw new JspTagException(
                    "esi:control comes after the response was committed (expected at the top of the page, before anything is flushed)");
        }
        var response = EsiResponse.of(request());
        if (ttl != null) {
            response.ttl(seconds(ttl, "ttl"));
        }
        if (stale != null) {
            response.stale(seconds(stale, "stale"));
        }
        if (staleIfError != null) {
            response.staleIfError(seconds(staleIfError, "staleIfError"));
        }
        if (browser != null) {
            response.browser(browser);
        }
        if (!tags.isBlank()) {
            response.tag(tags.strip().split("\\s+", -1));
        }
        if (privateOnly) {
            response.privateOnly();
        }
    }

    private Duration seconds(String text, String attribute) throws JspTagException {
        return Durations.read(text, attribute, this);
    }

    @Override
    String name() {
        return "esi:control";
    }
}
