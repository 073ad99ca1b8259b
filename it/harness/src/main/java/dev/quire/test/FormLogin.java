package dev.quire.test;

import dev.quire.test.wire.internal.Excerpt;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jsoup.nodes.FormElement;

/** Logs in as with a browser: requests the page, fills in the form, submits it. */
record FormLogin(String path, String user, String password) implements User.Login {

    @Override
    public void logIn(EsiSite site) {
        var page = site.get(path);
        var secret = page.dom().selectFirst("form input[type=password]");
        var form =
                secret != null && secret.closest("form") instanceof FormElement found
                        ? found
                        : null;
        var name =
                form == null
                        ? null
                        : form.selectFirst(
                                "input[type=text], input[type=email], input:not([type])");
        if (secret == null || form == null || name == null) {
            throw new AssertionError(
                    "%s cannot log in: expected a form with fields for a name and a password at %s, found %d %s"
                            .formatted(user, path, page.status(), Excerpt.of(page.html())));
        }
        Map<String, String> values = new LinkedHashMap<>();
        values.put(name.attr("name"), user);
        values.put(secret.attr("name"), password);
        var answer = site.submit(page, form, values);
        var back = answer.headers().first("Location");
        boolean isRepeated =
                answer.dom().selectFirst("input[type=password]") != null
                        || (back != null && (back.contains("error") || isBackAt(back)));
        if (answer.status() >= 400 || isRepeated) {
            throw new AssertionError(
                    "%s cannot log in at %s: expected a page other than the login, found %d%s"
                            .formatted(
                                    user,
                                    path,
                                    answer.status(),
                                    back == null ? "" : " to " + back));
        }
    }

    private boolean isBackAt(String location) {
        try {
            return path.equals(URI.create(location).getRawPath());
        } catch (IllegalArgumentException unreadable) {
            return false;
        }
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "login of " + user + " at " + path;
    }
}
