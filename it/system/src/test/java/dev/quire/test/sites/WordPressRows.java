package dev.quire.test.sites;

import static dev.quire.test.sites.Servers.Name.WORDPRESS;

import dev.quire.test.wire.Response;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;

/** WordPress from its installation on. */
final class WordPressRows {
    private static final String TABLE = "1.1";
    private static final String INSTALL = "/wp-admin/install.php";
    private static final String ASSET = "/wp-includes/css/dashicons.min.css?n=";
    private static final String GENERAL = "/wp-admin/options-general.php";
    private static final String ADMIN_BAR = "id=\"wpadminbar\"";

    /** The documents name this key for files of an origin that names no lifetime. */
    private static final Settings LIFETIME =
            Settings.DEFAULT.with(
                    "routes",
                    """
                    [ { path: "/wp-includes/**", origin: tested, ttl: 1h },
                      { path: "/**", origin: tested } ]\
                    """);

    private WordPressRows() {}

    static List<Row> all() {
        return List.of(
                Row.of(TABLE, "WordPress: install page and installation", WordPressRows::installed),
                Row.of(TABLE, "WordPress: login, wrong and right", WordPressRows::login),
                Row.of(TABLE, "WordPress: settings saved", WordPressRows::settings),
                Row.of(TABLE, "WordPress: admin bar for its user only", WordPressRows::adminBar),
                Row.of(TABLE, "WordPress: comment of a visitor", WordPressRows::comment),
                Row.of(TABLE, "WordPress: media upload", WordPressRows::upload),
                asset("asset, no cookies", Settings.DEFAULT, 0, "hit"),
                asset("asset, then with _ga", Settings.DEFAULT, 1, "hit"),
                asset("asset, always with _ga", Settings.DEFAULT, 2, "hit|validated"),
                asset("asset, always with _ga, ttl of the route", LIFETIME, 2, "hit"),
                browser("login"),
                browser("editor"));
    }

    private static Row browser(String step) {
        var row = ApplicationRows.browser(WORDPRESS, step);
        return new Row(
                row.table(),
                row.name(),
                row.columns(),
                column -> {
                    user(column);
                    return row.check().in(column);
                });
    }

    /** Installs the site that {@code user} sees. */
    private static void install(User user, String password) {
        Client.expect(INSTALL, user.target(user.get(302, "/")));
        var page = user.get(INSTALL);
        var answer =
                Form.in(page, INSTALL, user, "#setup")
                        .with("weblog_title", "Trial")
                        .with("user_name", WordPress.ADMIN)
                        .with("admin_password", password)
                        .with("admin_password2", password)
                        .with("admin_email", "ada@site.example")
                        .send();
        Client.expect(true, Client.expect(200, answer).text().contains("Success!"));
        Client.expect(true, user.get("/").text().contains("<title>Trial"));
    }

    /** Installs a site with readable URLs. */
    static void prepare(User user, String password) {
        install(user, password);
        login(user, password);
        var permalinks = "/wp-admin/options-permalink.php";
        var form = Form.at(permalinks, user, "form[name=form]");
        var answer =
                form.with("selection", "/%postname%/")
                        .with("permalink_structure", "/%postname%/")
                        .send();
        Client.expect(true, List.of(200, 302).contains(answer.status()));
    }

    /** A user who is not logged in. */
    private static User user(Column column) throws Exception {
        var user = new User(column.at(WORDPRESS));
        column.once(
                WORDPRESS,
                () -> install(new User(column.at(WORDPRESS)), column.servers().secret()));
        return user;
    }

    private static User admin(Column column) throws Exception {
        return login(user(column), column.servers().secret());
    }

    private static User login(User user, String password) {
        var answer = send(user, password);
        Client.expect(302, answer);
        Client.expect("/wp-admin/", user.target(answer));
        return user;
    }

    private static Response send(User user, String password) {
        return Form.at("/wp-login.php", user, "#loginform")
                .with("log", WordPress.ADMIN)
                .with("pwd", password)
                .send();
    }

    private static void installed(Column column) throws Exception {
        var page = user(column).get(INSTALL).text();
        Client.expect(true, page.contains("already installed WordPress"));
    }

    private static void login(Column column) throws Exception {
        var user = user(column);
        var refused = Client.expect(200, send(user, "wrong")).text();
        Client.expect(true, refused.contains("login_error"));
        login(user, column.servers().secret());
        Client.expect(true, user.get("/wp-admin/").text().contains("Howdy"));
        new User(column.at(WORDPRESS)).get(302, "/wp-admin/");
    }

    private static void settings(Column column) throws Exception {
        var user = admin(column);
        var visitor = new User(column.at(WORDPRESS));
        visitor.get("/");
        var title = "Trial " + UUID.randomUUID();
        var answer =
                Form.at(GENERAL, user, "form[action=options.php]").with("blogname", title).send();
        var saved = user.follow(answer).text();
        Client.expect(true, saved.contains("Settings saved"));
        Client.expect(true, saved.contains(title));
        Client.expect(true, visitor.get("/").text().contains(title));
    }

    private static void adminBar(Column column) throws Exception {
        var user = admin(column);
        var visitor = new User(column.at(WORDPRESS));
        for (int i = 0; i < 2; i++) {
            Client.expect(true, user.get("/").text().contains(ADMIN_BAR));
            Client.expect(false, visitor.get("/").text().contains(ADMIN_BAR));
        }
    }

    private static void comment(Column column) throws Exception {
        var post = "/?p=1";
        var visitor = user(column);
        var stranger = new User(column.at(WORDPRESS));
        // A site that could reach itself when it was installed has readable URLs.
        var found = stranger.ask(post);
        var target = found.status() == 301 ? stranger.target(found) : post;
        var text = "Comment " + UUID.randomUUID();
        var answer =
                Form.at(target, visitor, "#commentform")
                        .with("comment", text)
                        .with("author", "Bob")
                        .with("email", UUID.randomUUID() + "@site.example")
                        .with("wp-comment-cookies-consent", "yes")
                        .send();
        Client.expect(302, answer);
        Client.expect(3, answer.fields().all("Set-Cookie").size());
        // Only its author sees it before it is approved.
        var own = visitor.get(visitor.target(answer).replaceFirst("#.*", ""));
        Client.expect(true, own.text().contains(text));
        Client.expect(false, stranger.get(target).text().contains(text));
    }

    private static void upload(Column column) throws Exception {
        var user = admin(column);
        var name = "picture-" + UUID.randomUUID();
        var picture = picture();
        var answer =
                Form.at("/wp-admin/media-new.php", user, "#file-form")
                        .with("html-upload", "Upload")
                        .send("async-upload", name + ".png", "image/png", picture);
        Client.expect("/wp-admin/upload.php", user.target(Client.expect(302, answer)));
        var library = user.get("/wp-admin/upload.php?mode=list").text();
        var found = Pattern.compile("/wp-content/uploads/[^\"' ]*?" + name).matcher(library);
        Client.expect(found.find(), "the picture in the library", "none");
        var stored = new User(column.at(WORDPRESS)).get(found.group() + ".png");
        Client.expect(Arrays.equals(picture, stored.body().bytes()), "the picture", "other bytes");
    }

    private static byte[] picture() throws IOException {
        var image = new BufferedImage(640, 480, BufferedImage.TYPE_INT_RGB);
        for (int x = 0; x < image.getWidth(); x++) {
            for (int y = 0; y < image.getHeight(); y++) {
                image.setRGB(x, y, x * y);
            }
        }
        var out = new ByteArrayOutputStream();
        ImageIO.write(image, "png", out);
        return out.toByteArray();
    }

    /**
     * Two visitors ask for an asset. The cell is how the second is answered: {@code hit}, {@code
     * validated} or {@code fetched}.
     *
     * @param counted the number of visitors, the last ones, with a cookie for statistics
     * @param right the answers that hold
     */
    private static Row asset(String name, Settings settings, int counted, String right) {
        return new Row(
                TABLE,
                "WordPress: " + name,
                Row.PROXIES,
                column -> {
                    var site = column.at(WORDPRESS, settings);
                    var target = ASSET + UUID.randomUUID();
                    var first = visitor(site, counted > 1).get(target);
                    var second = visitor(site, counted > 0).get(target);
                    Client.expect(first.body().equals(second.body()), "the same bytes", "others");
                    var found = source(first, second);
                    Client.expect(List.of(right.split("\\|")).contains(found), right, found);
                    return found;
                });
    }

    private static User visitor(InetSocketAddress site, boolean isCounted) {
        var visitor = new User(site, WordPress.HOST);
        if (isCounted) {
            visitor.set("_ga", "GA1.1." + UUID.randomUUID());
        }
        return visitor;
    }

    private static String source(Response first, Response second) {
        if (Objects.equals(first.field(WordPress.SERVED), second.field(WordPress.SERVED))) {
            return "hit";
        }
        return second.field(WordPress.CONDITION) == null ? "fetched" : "validated";
    }
}
