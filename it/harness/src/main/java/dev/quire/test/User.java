package dev.quire.test;

import dev.quire.core.http.Fields;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A user who requests pages: the fields the user's browser sends, and the login. Immutable. The
 * site stores the user's cookies, by name.
 *
 * @param name unique among the users of a test
 * @param fields sent with every request
 * @param login done once, before the first request to a site
 * @param secrets values that only this user may see
 */
public record User(String name, Fields fields, Login login, Set<String> secrets) {

    /** A way to log in. */
    @FunctionalInterface
    public interface Login {
        Login NONE = site -> {};

        /**
         * Logs a user in.
         *
         * @param site as that user's view; cookies that it sets are stored for the user
         * @throws AssertionError if the login fails
         */
        void logIn(EsiSite site);

        /**
         * Logs in by the form at {@code path}: its first field of type password, the text field
         * before it, and all its hidden fields.
         */
        static Login form(String path, String user, String password) {
            return new FormLogin(path, user, password);
        }
    }

    public User {
        secrets = Set.copyOf(secrets);
    }

    /** A user without an account. */
    public static User anonymous() {
        return new User("anonymous", Fields.EMPTY, Login.NONE, Set.of());
    }

    /** A user whose name no other user may see. */
    public static User user(String name) {
        return new User(name, Fields.EMPTY, Login.NONE, Set.of(name));
    }

    /** The same user, logging in by the form at {@code path}. */
    public User logsIn(String path, String password) {
        return logsIn(Login.form(path, name, password)).withSecret(password);
    }

    /** The same user, logging in by {@code how}. */
    public User logsIn(Login how) {
        return new User(name, fields, how, secrets);
    }

    /** The same user with one more field in every request. */
    public User withField(String field, String value) {
        return new User(
                name,
                new Fields.Builder().addAll(fields).add(field, value).build(),
                login,
                secrets);
    }

    /** The same user with a cookie, whose value is a secret. */
    public User withCookie(String cookie, String value) {
        return withField("Cookie", cookie + "=" + value).withSecret(value);
    }

    /** The same user, preferring {@code language}, written as in {@code Accept-Language}. */
    public User speaking(String language) {
        return withField("Accept-Language", language);
    }

    /** The same user with another secret, such as an email address or an account number. */
    public User withSecret(String secret) {
        var more = new LinkedHashSet<>(secrets);
        more.add(secret);
        return new User(name, fields, login, more);
    }

    /**
     * The fields of one request: this user's, with {@code cookies} added to its own cookies in one
     * line.
     */
    Fields fieldsWith(Map<String, String> cookies) {
        var pairs = new ArrayList<>(fields.all("Cookie"));
        cookies.forEach((cookie, value) -> pairs.add(cookie + "=" + value));
        var all = new Fields.Builder().addAll(fields.without("cookie"::equalsIgnoreCase));
        if (!pairs.isEmpty()) {
            all.add("Cookie", String.join("; ", List.copyOf(pairs)));
        }
        return all.build();
    }

    @Override
    public String toString() {
        return name;
    }
}
