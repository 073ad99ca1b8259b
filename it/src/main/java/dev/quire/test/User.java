package dev.quire.test;

import dev.quire.core.http.Fields;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Somebody who asks for pages: what a browser would send by itself, and how they log in. Never
 * changes. The cookies they are given are kept by the site they ask, for each user by name.
 *
 * @param name unique among the users of a test
 * @param fields sent with every request
 * @param login done once, before their first request to a site
 * @param secrets what must be seen by nobody else
 */
public record User(String name, Fields fields, Login login, Set<String> secrets) {

    /** The door by which users come in. */
    @FunctionalInterface
    public interface Login {
        /** They do not log in. */
        Login NONE = site -> {};

        /**
         * Logs a user in.
         *
         * @param site as that user sees it; cookies it sets stay with the user
         * @throws AssertionError if the user does not get in
         */
        void logIn(EsiSite site);

        /**
         * By the form at {@code path}: its first field of type password, the text field in front of
         * it, and all its hidden fields.
         */
        static Login form(String path, String user, String password) {
            return new FormLogin(path, user, password);
        }
    }

    public User {
        secrets = Set.copyOf(secrets);
    }

    /** Somebody without an account. */
    public static User anonymous() {
        return new User("anonymous", Fields.EMPTY, Login.NONE, Set.of());
    }

    /** Somebody whose name is to be seen by nobody else. */
    public static User user(String name) {
        return new User(name, Fields.EMPTY, Login.NONE, Set.of(name));
    }

    /** The same, logging in by the form at {@code path}. */
    public User logsIn(String path, String password) {
        return logsIn(Login.form(path, name, password)).withSecret(password);
    }

    /** The same, logging in by {@code how}. */
    public User logsIn(Login how) {
        return new User(name, fields, how, secrets);
    }

    /** The same with one more field in every request. */
    public User withField(String field, String value) {
        return new User(
                name,
                new Fields.Builder().addAll(fields).add(field, value).build(),
                login,
                secrets);
    }

    /** The same with a cookie of their own, whose value is a secret. */
    public User withCookie(String cookie, String value) {
        return withField("Cookie", cookie + "=" + value).withSecret(value);
    }

    /** The same, preferring pages in {@code language}, as {@code Accept-Language} says it. */
    public User speaking(String language) {
        return withField("Accept-Language", language);
    }

    /**
     * The same with something more that nobody else must see: a mail address, an account number.
     */
    public User withSecret(String secret) {
        var more = new LinkedHashSet<>(secrets);
        more.add(secret);
        return new User(name, fields, login, more);
    }

    /** The fields of one request: this user's own, and {@code cookies} in one line with theirs. */
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
