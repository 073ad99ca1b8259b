package dev.quire.test.cases;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The client's request in a case.
 *
 * @param target as sent
 * @param fields lines as sent; {@code Host} is always among them
 */
record ClientRequest(String method, String target, Map<String, String> fields) {

    /** A placeholder for a case without a valid one, while its problems are collected. */
    static final ClientRequest NONE = new ClientRequest("GET", "/", Map.of());

    private static final Set<String> METHODS_WITH_BODY = Set.of("POST", "PUT", "PATCH");

    /** Reads a request; problems are reported to {@code entry}. */
    static ClientRequest read(Entry entry) {
        var method = entry.text("method").orElse("GET");
        if (!method.matches("[A-Z]+")) {
            entry.wrong("method", "'" + method + "' is not a method", "upper case letters");
        }
        var path = entry.required("path");
        if (!path.isEmpty() && !path.startsWith("/")) {
            entry.wrong("path", "'" + path + "' is not a target", "one that starts with '/'");
        }
        var fields = new LinkedHashMap<String, String>();
        fields.put("Host", Case.AUTHORITY);
        entry.textsByName("headers")
                .forEach((name, value) -> {
                    if (name.equalsIgnoreCase("Host")) {
                        fields.put("Host", value);
                    } else {
                        fields.put(name, value);
                    }
                });
        if (!Targets.isSameAuthority(fields.getOrDefault("Host", ""), Case.AUTHORITY)) {
            entry.wrong("headers.Host", "is another host", Case.AUTHORITY);
        }
        entry.refuseOthers();
        return new ClientRequest(method, Targets.encoded(path), fields);
    }

    /** The same request without its own fields. */
    ClientRequest bare() {
        var host = new LinkedHashMap<>(fields);
        host.keySet().removeIf(name -> !name.equals("Host"));
        return new ClientRequest(method, target, host);
    }

    /** The same request with GET instead of HEAD: a response to HEAD fills no cache. */
    ClientRequest filling() {
        return method.equals("HEAD") ? new ClientRequest("GET", target, fields) : this;
    }

    /** Whether its method implies a body (RFC 9110 §8.6). */
    boolean announcesBody() {
        return METHODS_WITH_BODY.contains(method)
                && fields.keySet().stream()
                        .noneMatch(name ->
                                name.equalsIgnoreCase("Content-Length")
                                        || name.equalsIgnoreCase("Transfer-Encoding"));
    }

    /** Names and values alternating. */
    String[] lines() {
        var lines = new ArrayList<String>();
        fields.forEach((name, value) -> {
            lines.add(name);
            lines.add(value);
        });
        return lines.toArray(String[]::new);
    }
}
