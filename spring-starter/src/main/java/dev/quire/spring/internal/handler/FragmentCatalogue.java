package dev.quire.spring.internal.handler;

import dev.quire.spring.FragmentPolicy;
import dev.quire.spring.internal.exchange.GuardHits;
import dev.quire.spring.internal.fields.Capabilities;
import dev.quire.spring.internal.fields.SurrogateFields;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.util.HtmlUtils;

/**
 * A page that lists every fragment of the application with its policy and a preview. It is served
 * only to a direct client on this machine that uses a local host name: neither through a proxy on
 * this machine nor to a foreign page.
 */
public final class FragmentCatalogue implements HttpRequestHandler {

    public static final String PATH = "/quire-dev/fragments";

    private static final Pattern LOOPBACK =
            Pattern.compile("127(\\.[0-9]{1,3}){3}|\\[?::1]?|\\[?0:0:0:0:0:0:0:1]?");
    private static final List<String> OF_PROXIES =
            List.of("Forwarded", "X-Forwarded-For", "Via", SurrogateFields.CAPABILITY);

    private static final String CARDS = "{{fragments}}";

    private final FragmentHandlers handlers;
    private final PathRules rules;
    private final GuardHits hits;
    private final String frame = resource("catalogue.html");

    public FragmentCatalogue(FragmentHandlers handlers, PathRules rules, GuardHits hits) {
        this.handlers = handlers;
        this.rules = rules;
        this.hits = hits;
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (!isOfThisMachine(request)) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        var cards = new StringBuilder();
        for (var fragment : handlers.mapped()) {
            card(cards, fragment, request.getContextPath());
        }
        for (var rule : rules.rules()) {
            begin(cards, rule.policy(), List.of(rule.path().getPatternString()));
            cards.append("</article>\n");
        }
        if (cards.isEmpty()) {
            cards.append(
                    "<p>No handler has a caching policy (annotate one with @EsiFragment or @EsiPage).</p>");
        }
        response.setContentType("text/html;charset=UTF-8");
        response.setHeader("Cache-Control", "no-store");
        response.getWriter().write(frame.replace(CARDS, cards));
    }

    private static boolean isOfThisMachine(HttpServletRequest request) {
        return LOOPBACK.matcher(Capabilities.peer(request)).matches()
                && (request.getServerName().equals("localhost")
                        || LOOPBACK.matcher(request.getServerName()).matches())
                && OF_PROXIES.stream().noneMatch(field -> request.getHeader(field) != null);
    }

    private void card(StringBuilder html, MappedFragment fragment, String contextPath) {
        begin(html, fragment.policy(), fragment.routes());
        var path = fragment.path().orElse(null);
        if (path != null) {
            html.append("<form data-path=\"").append(escaped(contextPath + path)).append("\">");
            for (var argument : fragment.arguments()) {
                html.append("<label>")
                        .append(escaped(argument.name()))
                        .append(" <input name=\"")
                        .append(escaped(argument.name()))
                        .append("\" value=\"")
                        .append(escaped(argument.value()))
                        .append("\"></label>");
            }
            html.append("<button>Preview</button> <a target=\"_blank\" hidden>open</a></form>");
            html.append("<div class=\"result\" hidden><pre></pre>");
            html.append("<iframe sandbox title=\"preview\"></iframe></div>");
        }
        html.append("</article>\n");
    }

    private void begin(StringBuilder html, FragmentPolicy policy, List<String> routes) {
        html.append("<article class=\"")
                .append(policy.isPrivate() ? "private" : "public")
                .append("\"><h2>")
                .append(escaped(policy.name()))
                .append("</h2><p class=\"where\">");
        routes.forEach(route -> html.append("<code>").append(escaped(route)).append("</code> "));
        html.append("</p><p class=\"policy\">");
        chip(html, "scope", policy.isNeverEsi() ? "no ESI" : scope(policy));
        if (!policy.isNeverEsi() && policy.isPage()) {
            chip(html, "kind", "page");
        }
        if (!policy.isPrivate()) {
            chip(html, "ttl", FragmentTable.times(policy));
            policy.staleIfError().ifPresent(time -> chip(html, "if error", time.toSeconds() + "s"));
            chip(html, "browser", policy.browser());
        }
        policy.tags().forEach(tag -> chip(html, "tag", tag.source()));
        policy.timeout().ifPresent(time -> chip(html, "timeout", time.toMillis() + "ms"));
        hits.of(policy.handler())
                .forEach((reason, count) ->
                        chip(html, "made private", count + "× " + reason.because()));
        html.append("</p><p class=\"handler\">").append(escaped(policy.handler())).append("</p>");
    }

    private static String scope(FragmentPolicy policy) {
        return policy.scope().name().toLowerCase(Locale.ROOT);
    }

    private static void chip(StringBuilder html, String what, String value) {
        html.append("<span class=\"chip ")
                .append(what.replace(' ', '-'))
                .append("\"><b>")
                .append(what)
                .append("</b> ")
                .append(escaped(value))
                .append("</span> ");
    }

    private static String escaped(String text) {
        return HtmlUtils.htmlEscape(text, "UTF-8");
    }

    private static String resource(String name) {
        try (InputStream in = FragmentCatalogue.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("resource " + name + " not found");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
