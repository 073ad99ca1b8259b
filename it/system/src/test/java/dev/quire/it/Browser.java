package dev.quire.it;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Response;
import java.net.HttpCookie;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A browser with cookies, without a cache, that can log in. Not thread-safe. */
final class Browser {
    private static final Pattern TOKEN = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"");

    private final Map<String, String> cookies = new TreeMap<>();
    private final InetSocketAddress site;

    Browser(InetSocketAddress site) {
        this.site = site;
    }

    /** Returns a browser that is logged in. */
    static Browser of(InetSocketAddress site, String name, String password) {
        return loggedIn(site, name, password, "");
    }

    /** Returns a browser that is logged in with remember-me. */
    static Browser remembered(InetSocketAddress site, String name, String password) {
        return loggedIn(site, name, password, "&remember-me=on");
    }

    private static Browser loggedIn(
            InetSocketAddress site, String name, String password, String more) {
        var browser = new Browser(site);
        var token = token(browser.get("/_esi/csrf").text());
        var response =
                browser.post(
                        "/login?username=%s&password=%s&_csrf=%s%s"
                                .formatted(name, password, token, more));
        if (response.status() != 302 || !browser.cookies.containsKey("JSESSIONID")) {
            throw new AssertionError("expected a redirect after login, found " + response);
        }
        return browser;
    }

    Map<String, String> cookies() {
        return cookies;
    }

    Response get(String target) {
        return send("GET", target);
    }

    Response post(String target) {
        return send("POST", target);
    }

    /** Returns the CSRF token in {@code html}, or an empty string. */
    static String token(String html) {
        var input = TOKEN.matcher(html);
        return input.find() ? input.group(1) : "";
    }

    private Response send(String method, String target) {
        var fields = new ArrayList<String>();
        if (!cookies.isEmpty()) {
            fields.add("Cookie");
            fields.add(
                    cookies.entrySet().stream()
                            .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                            .collect(Collectors.joining("; ")));
        }
        if (method.equals("POST")) {
            fields.addAll(List.of("Content-Length", "0"));
        }
        try (var wire = HttpWire.to(site)) {
            var response = wire.request(method, target, fields.toArray(String[]::new)).response();
            response.fields().all("Set-Cookie").forEach(this::keep);
            return response;
        }
    }

    private void keep(String line) {
        for (var cookie : HttpCookie.parse(line)) {
            if (cookie.getMaxAge() == 0) {
                cookies.remove(cookie.getName());
            } else {
                cookies.put(cookie.getName(), cookie.getValue());
            }
        }
    }
}
