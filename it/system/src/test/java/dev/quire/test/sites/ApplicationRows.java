package dev.quire.test.sites;

import static dev.quire.test.sites.Servers.Name.EXPRESS;
import static dev.quire.test.sites.Servers.Name.TOMCAT;

import java.util.List;
import java.util.regex.Pattern;

/** Applications as their users see them. */
final class ApplicationRows {
    private static final String TABLE = "1.1";
    private static final String SESSION = "/examples/servlets/servlet/SessionExample";
    private static final String PROTECTED = "/examples/jsp/security/protected/index.jsp";
    private static final String LOGGED_IN = "logged in as remote user";
    private static final Pattern ENCODED =
            Pattern.compile("action=['\"](\\S*;jsessionid=[^'\"?]*)");

    private ApplicationRows() {}

    static List<Row> all() {
        return List.of(
                Row.of(TABLE, "Express: two cookies and a redirect", ApplicationRows::cookies),
                Row.of(
                        TABLE,
                        "Express: WebSocket echo",
                        column -> echo(column, EXPRESS, "/socket")),
                Row.of(TABLE, "Tomcat: sessions of two users", ApplicationRows::sessions),
                Row.of(TABLE, "Tomcat: session by ;jsessionid", ApplicationRows::jsessionid),
                Row.of(TABLE, "Tomcat: form login page", ApplicationRows::login),
                Row.of(
                        TABLE,
                        "Tomcat: WebSocket echo",
                        column -> echo(column, TOMCAT, "/examples/websocket/echoAnnotation")),
                browser(EXPRESS, "cookies"),
                browser(EXPRESS, "events"),
                browser(EXPRESS, "websocket"),
                browser(TOMCAT, "sessions"),
                browser(TOMCAT, "login"),
                browser(TOMCAT, "websocket"));
    }

    /** The report of {@code step} by a page in a browser. */
    static Row browser(Servers.Name server, String step) {
        return browser(TABLE, server, step);
    }

    static Row browser(String table, Servers.Name server, String step) {
        return new Row(
                table,
                "Chromium, %s: %s".formatted(server, step),
                Row.ALL,
                column -> {
                    var steps = column.browser(server);
                    if (steps == null) {
                        return "-";
                    }
                    Client.expect("yes", steps.getOrDefault(step, "no report"));
                    return "yes";
                });
    }

    private static void echo(Column column, Servers.Name server, String path) throws Exception {
        Client.expect("Grüße", Client.exchange(column.at(server), path, "Grüße"));
    }

    private static void cookies(Column column) {
        try (var client = column.connect(EXPRESS)) {
            var login = Client.expect(302, client.get("/login"));
            Client.expect(
                    List.of("user=ada; Path=/", "theme=dark; Path=/; HttpOnly"),
                    login.fields().all("Set-Cookie"));
            Client.expect("/account", login.field("Location"));
            var account = client.get("/account", "Cookie", "user=ada; theme=dark");
            Client.expect("user=ada; theme=dark", Client.expect(200, account).text());
        }
    }

    private static void sessions(Column column) {
        var ada = new User(column.at(TOMCAT));
        var bob = new User(column.at(TOMCAT));
        ada.get(SESSION + "?dataname=colour&datavalue=blue");
        bob.get(SESSION + "?dataname=colour&datavalue=green");
        Client.expect(true, ada.get(SESSION).text().contains("colour = blue"));
        Client.expect(true, bob.get(SESSION).text().contains("colour = green"));
        Client.expect(false, bob.get(SESSION).text().contains("blue"));
    }

    private static void jsessionid(Column column) {
        var page = new User(column.at(TOMCAT)).get(SESSION + "?dataname=colour&datavalue=blue");
        var encoded = ENCODED.matcher(page.text());
        Client.expect(encoded.find(), "a link with ;jsessionid", page.text());
        var link = "/examples/servlets/servlet/" + encoded.group(1);
        var again = new User(column.at(TOMCAT)).get(link);
        Client.expect(again.text().contains("colour = blue"), "the session's attribute", "none");
    }

    private static void login(Column column) {
        var ada = new User(column.at(TOMCAT));
        Client.expect(true, ada.get(PROTECTED).text().contains("j_security_check"));
        var action = PROTECTED.replace("index.jsp", "j_security_check");
        Client.expect(303, ada.post(action, "j_username=ada&j_password=lovelace"));
        Client.expect(true, ada.get(PROTECTED).text().contains(LOGGED_IN));
        var stranger = new User(column.at(TOMCAT));
        Client.expect(false, stranger.get(PROTECTED).text().contains(LOGGED_IN));
    }
}
