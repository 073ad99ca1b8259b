package dev.quire.test.sites;

import static dev.quire.test.sites.Servers.Name.DJANGO;

import dev.quire.test.wire.Response;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jsoup.Jsoup;

/** Django's admin and the polls of its tutorial. */
final class DjangoRows {
    private static final String TABLE = "1.1";
    private static final String LOGIN = "/admin/login/?next=/admin/";
    private static final String ADD = "/admin/polls/question/add/";
    private static final int VISITORS = 4;
    private static final int VISITS = 8;

    private DjangoRows() {}

    static List<Row> all() {
        return List.of(
                Row.of(TABLE, "Django: login, two cookies, logout", DjangoRows::login),
                Row.of(TABLE, "Django: a form without its CSRF token", DjangoRows::forged),
                Row.of(TABLE, "Django: an object is added, one message", DjangoRows::added),
                Row.of(TABLE, "Django: session counters never mixed", DjangoRows::counters),
                Row.of(TABLE, "Django: vote, POST, 302, GET", DjangoRows::vote),
                ApplicationRows.browser(DJANGO, "login"));
    }

    private static User login(Column column, User user) {
        var password = column.servers().secret();
        var answer =
                Form.at(LOGIN, user, "#login-form")
                        .with("username", Django.ADMIN)
                        .with("password", password)
                        .send();
        Client.expect(302, answer);
        Client.expect("/admin/", user.target(answer));
        Client.expect(2, answer.fields().all("Set-Cookie").size());
        return user;
    }

    private static void login(Column column) {
        var user = new User(column.at(DJANGO));
        var refused =
                Form.at(LOGIN, user, "#login-form")
                        .with("username", Django.ADMIN)
                        .with("password", "wrong")
                        .send();
        Client.expect(true, Client.expect(200, refused).text().contains("errornote"));
        login(column, user);
        var home = user.get("/admin/");
        Client.expect(true, home.text().contains("Site administration"));
        var stranger = new User(column.at(DJANGO));
        stranger.get(302, "/admin/");
        // Django 5 logs out by a form, earlier versions by a link.
        var form = Jsoup.parse(home.text()).selectFirst("form#logout-form");
        if (form == null) {
            user.get("/admin/logout/");
        } else {
            Client.expect(200, Form.in(home, "/admin/", user, "form#logout-form").send());
        }
        user.get(302, "/admin/");
    }

    private static void forged(Column column) {
        var user = login(column, new User(column.at(DJANGO)));
        var text = "Forged " + UUID.randomUUID();
        var form = Form.at(ADD, user, "#question_form").with("text", text);
        Client.expect(403, form.with("csrfmiddlewaretoken", "x".repeat(64)).send());
        Client.expect(false, user.get("/admin/polls/question/").text().contains(text));
    }

    private static void added(Column column) {
        var user = login(column, new User(column.at(DJANGO)));
        var text = "Which " + UUID.randomUUID();
        var list = user.follow(add(user, text));
        Client.expect(message(list).contains("was added successfully"), "a message", message(list));
        Client.expect(true, message(list).contains(text));
        var again = user.get("/admin/polls/question/");
        Client.expect("", message(again));
        Client.expect(true, again.text().contains(text));
    }

    private static Response add(User user, String text) {
        return Form.at(ADD, user, "#question_form")
                .with("text", text)
                .with("choice_set-0-text", "tea")
                .with("choice_set-1-text", "coffee")
                .send();
    }

    private static String message(Response page) {
        return Jsoup.parse(page.text()).select("ul.messagelist").text();
    }

    private static void counters(Column column) throws Exception {
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var visitors =
                    IntStream.range(0, VISITORS)
                            .mapToObj(i -> executor.submit(counting(column, "visitor" + i)))
                            .toList();
            for (var visitor : visitors) {
                visitor.get();
            }
        }
    }

    private static Callable<Void> counting(Column column, String name) {
        return () -> {
            var user = new User(column.at(DJANGO));
            for (int i = 1; i <= VISITS; i++) {
                // One URL for all but the first visit.
                var target = i == 1 ? "/counter/?name=" + name : "/counter/";
                Client.expect(name + " " + i, user.get(target).text());
            }
            return null;
        };
    }

    private static void vote(Column column) {
        var admin = login(column, new User(column.at(DJANGO)));
        var text = "Tea or coffee? " + UUID.randomUUID();
        var question = question(admin.follow(add(admin, text)), text);
        var visitor = new User(column.at(DJANGO));
        var page = visitor.get(question);
        var results = question + "results/";
        Client.expect(true, visitor.get(results).text().contains("coffee: 0"));
        var coffee =
                Jsoup.parse(page.text()).select("label").stream()
                        .filter(label -> label.text().equals("coffee"))
                        .findFirst()
                        .orElseThrow()
                        .select("input")
                        .attr("value");
        var answer = Form.in(page, question, visitor, "#vote").with("choice", coffee).send();
        Client.expect(302, answer);
        Client.expect(results, visitor.target(answer));
        Client.expect(true, visitor.follow(answer).text().contains("coffee: 1"));
        Client.expect(true, visitor.get(results).text().contains("tea: 0"));
    }

    /** Where visitors find the question that the admin's {@code list} shows. */
    private static String question(Response list, String text) {
        var link = Jsoup.parse(list.text()).select("#result_list a:contains(" + text + ")");
        return link.attr("href").replaceFirst(".*/question/(\\d+)/.*", "/polls/$1/");
    }
}
