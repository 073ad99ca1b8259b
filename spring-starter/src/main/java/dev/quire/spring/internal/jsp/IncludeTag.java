package dev.quire.spring.internal.jsp;

import dev.quire.spring.Esi;
import dev.quire.spring.OnError;
import jakarta.servlet.jsp.JspException;
import jakarta.servlet.jsp.JspTagException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** {@code <esi:include>}: includes another response (ESI 1.0 §3.1). */
public final class IncludeTag extends ElementTag {

    private final Urls urls = new Urls();
    private String src = "";
    private @Nullable String alt;
    private @Nullable String context;
    private @Nullable String timeout;
    private @Nullable String fallback;
    private OnError onError = OnError.PAGE_POLICY;

    /** Created by the JSP container. */
    public IncludeTag() {}

    /** Sets the fragment: a path inside this application, or an absolute URL. */
    public void setSrc(String url) {
        src = url;
    }

    /** Sets the alternative if the fragment fails. */
    public void setAlt(String url) {
        alt = url;
    }

    /**
     * Sets the context path for paths of another application on this host; {@code /} is the root.
     */
    public void setContext(String path) throws JspException {
        if (!path.startsWith("/")) {
            throw new JspTagException(
                    "context=\"%s\" of esi:include is not a path (expected for example /shop, or / for the root)"
                            .formatted(path));
        }
        context = path.equals("/") ? "" : path;
    }

    /** Sets the action when both fail: {@code continue} or {@code fail}. */
    public void setOnerror(String choice) throws JspException {
        onError =
                switch (choice) {
                    case "continue" -> OnError.CONTINUE;
                    case "fail" -> OnError.FAIL;
                    default ->
                            throw new JspTagException(
                                    "onerror=\"%s\" of esi:include is not valid (expected continue or fail)"
                                            .formatted(choice));
                };
    }

    /** Sets the longest wait for the fragment. */
    public void setTimeout(String duration) {
        timeout = duration;
    }

    /** Sets the HTML used when both fail; tags in it are text. */
    public void setFallback(String html) {
        fallback = html;
    }

    /** Adds a parameter of the fragment, from a tag inside. */
    void parameter(String name, String value) {
        urls.parameter(name, value);
    }

    @Override
    public void doTag() throws JspException, IOException {
        takeParameters();
        var application = context == null ? request().getContextPath() : context;
        var include = Esi.include(urls.url(src, application)).onError(onError);
        if (alt != null) {
            include = include.alt(urls.url(alt, application));
        }
        if (timeout != null) {
            include = include.timeout(Durations.read(timeout, "timeout", this));
        }
        write((fallback == null ? include : include.fallback(fallback)).toHtml(request()));
    }

    /** Runs the content without output, for the parameters in it. */
    private void takeParameters() throws JspException, IOException {
        page().pushBody();
        try {
            writeContent();
        } finally {
            page().popBody();
        }
    }

    @Override
    String name() {
        return "esi:include";
    }
}
