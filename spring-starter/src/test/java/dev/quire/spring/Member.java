package dev.quire.spring;

import java.net.HttpCookie;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A browser that keeps cookies and can log in. Single-threaded. */
final class Member {

    private static final Pattern INPUT =
            Pattern.compile("<input type=\"hidden\" name=\"_csrf\" value=\"([^\"]+)\"/>");

    private final Visitor visitor;
    private final Map<String, String> cookies = new TreeMap<>();

    Member(Visitor visitor) {
        this.visitor = visitor;
    }

    Map<String, String> cookies() {
        return cookies;
    }

    HttpResponse<String> get(String target, String... fields) {
        return send("GET", target, fields);
    }

    HttpResponse<String> send(String method, String target, String... fields) {
        var asking = visitor;
        if (!cookies.isEmpty()) {
            asking =
                    asking.with(
                            "Cookie",
                            cookies.entrySet().stream()
                                    .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                                    .collect(Collectors.joining("; ")));
        }
        for (int i = 0; i < fields.length; i += 2) {
            asking = asking.with(fields[i], fields[i + 1]);
        }
        var response = asking.send(method, target);
        for (var line : response.headers().allValues("Set-Cookie")) {
            for (var cookie : HttpCookie.parse(line)) {
                if (cookie.getMaxAge() == 0) {
                    cookies.remove(cookie.getName());
                } else {
                    cookies.put(cookie.getName(), cookie.getValue());
                }
            }
        }
        return response;
    }

    /** Returns the token in {@code html}, or an empty text. */
    static String token(String html) {
        var input = INPUT.matcher(html);
        return input.find() ? input.group(1) : "";
    }

    /** Logs in by the form; the response is a redirect. */
    HttpResponse<String> login(String name, String password) {
        var token = token(get("/_esi/csrf").body());
        return send(
                "POST", "/login?username=%s&password=%s&_csrf=%s".formatted(name, password, token));
    }
}
