package dev.quire.test.sites;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Response;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A client with cookies, which sends each request over a connection of its own. */
final class User {
    private final InetSocketAddress site;
    private final String host;
    private final Map<String, String> cookies = new TreeMap<>();

    /** A user of the site under the name that a browser uses too. */
    User(InetSocketAddress site) {
        this(site, "127.0.0.1:" + site.getPort());
    }

    User(InetSocketAddress site, String host) {
        this.site = site;
        this.host = host;
    }

    Response get(String target) {
        return get(200, target);
    }

    Response get(int status, String target) {
        return Client.expect(status, ask(target));
    }

    /** As {@link #get}, whatever the status. */
    Response ask(String target) {
        try (var client = HttpWire.to(site)) {
            return remember(client.get(target, fields()));
        }
    }

    /** Posts {@code form} as a browser does without a file. */
    Response post(String target, String form) {
        return post(target, "application/x-www-form-urlencoded", form.getBytes(ISO_8859_1));
    }

    Response post(String target, String type, byte[] body) {
        try (var client = HttpWire.to(site)) {
            client.request("POST", target, body, fields("Content-Type", type));
            return remember(client.response());
        }
    }

    /** Follows a redirect within the site. */
    Response follow(Response redirect) {
        return get(target(Client.expect(302, redirect)));
    }

    /** The path and query of {@code Location}. */
    String target(Response redirect) {
        var location = Objects.requireNonNull(redirect.field("Location"), "Location");
        var own = "http://" + host;
        Client.expect(
                location.startsWith("/") || location.startsWith(own + "/"),
                "a redirect to " + own,
                location);
        return location.startsWith("/") ? location : location.substring(own.length());
    }

    /** Adds a cookie, as a script of a page does. */
    void set(String name, String value) {
        cookies.put(name, value);
    }

    private String[] fields(String... more) {
        var fields = new ArrayList<>(List.of("Host", host));
        fields.addAll(List.of(more));
        if (!cookies.isEmpty()) {
            fields.add("Cookie");
            fields.add(
                    cookies.entrySet().stream()
                            .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                            .collect(Collectors.joining("; ")));
        }
        return fields.toArray(String[]::new);
    }

    private Response remember(Response response) {
        for (var line : response.fields().all("Set-Cookie")) {
            var pair = line.split(";", 2)[0].split("=", 2);
            if (isDeletion(line)) {
                cookies.remove(pair[0]);
            } else {
                cookies.put(pair[0], pair[1]);
            }
        }
        return response;
    }

    private static boolean isDeletion(String line) {
        return line.toLowerCase(Locale.ROOT).matches(".*;\\s*max-age=0(;.*|$)");
    }
}
