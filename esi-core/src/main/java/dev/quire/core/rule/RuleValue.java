package dev.quire.core.rule;

import dev.quire.core.http.FieldSyntax;
import dev.quire.core.policy.CacheKey;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A value that a template names without an expression, such as {@code host}, {@code query.id} or
 * {@code 1}.
 *
 * @param kind what is read
 * @param name of the argument, field, cookie or variable, or the number of the group; else empty
 * @param encodes whether the text is percent-encoded to become a part of a URL
 */
record RuleValue(Kind kind, String name, boolean encodes) implements TextTemplate.Part {

    /** The known names. */
    enum Kind {
        SCHEME(Input.SCHEME, "scheme"),
        HOST(Input.HOST, "host"),
        PATH(Input.PATH, "path"),
        TARGET(Input.QUERY, "target"),
        METHOD(Input.METHOD, "method"),
        PROTOCOL(Input.PROTOCOL, "proto"),
        CLIENT(Input.CLIENT, "client.ip"),
        STATUS(Input.STATUS, "status"),
        TYPE(Input.TYPE, "type"),
        OUTCOME(Input.OUTCOME, "outcome"),
        AGE(Input.AGE, "age"),
        QUERY(Input.QUERY, "query."),
        HEADER(Input.HEADER, "header."),
        COOKIE(Input.COOKIE, "cookie."),
        RESPONSE(Input.RESPONSE, "response."),
        VARIABLE(Input.VARIABLE, "var."),
        GROUP(Input.PATH, "");

        private final Input input;
        private final String word;

        Kind(Input input, String word) {
            this.input = input;
            this.word = word;
        }

        private boolean isNamed() {
            return word.endsWith(".");
        }

        /** Whether its text is a part of a URL as it came. */
        private boolean isUrlText() {
            return switch (this) {
                case SCHEME, HOST, PATH, TARGET -> true;
                default -> false;
            };
        }
    }

    /** Returns the value that {@code text} names; nothing if it is an expression. */
    static Optional<RuleValue> named(String text, boolean isInUrl) {
        if (text.length() == 1 && text.charAt(0) >= '1' && text.charAt(0) <= '9') {
            return Optional.of(new RuleValue(Kind.GROUP, text, isInUrl));
        }
        for (var kind : Kind.values()) {
            boolean encodes = isInUrl && !kind.isUrlText();
            if (kind == Kind.GROUP) {
                continue;
            }
            if (!kind.isNamed() && text.equals(kind.word)) {
                return Optional.of(new RuleValue(kind, "", encodes));
            }
            if (kind.isNamed() && text.startsWith(kind.word)) {
                var name = text.substring(kind.word.length());
                return FieldSyntax.isToken(name)
                        ? Optional.of(new RuleValue(kind, name, encodes))
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    /** The number of the group; 0 for other values. */
    int group() {
        return kind == Kind.GROUP ? Integer.parseInt(name) : 0;
    }

    /** Returns the value without percent-encoding. */
    RuleValue unencoded() {
        return new RuleValue(kind, name, false);
    }

    @Override
    public String text(RuleValues values, List<@Nullable String> groups) {
        var value = value(values, groups);
        if (value == null) {
            return "";
        }
        return encodes ? UrlText.encoded(value, kind == Kind.GROUP) : value;
    }

    private @Nullable String value(RuleValues values, List<@Nullable String> groups) {
        var request = values.request();
        var response = values.response();
        return switch (kind) {
            case SCHEME -> request.scheme().text();
            case HOST -> request.authority();
            case PATH -> CacheKey.path(request.target());
            case TARGET -> request.target();
            case METHOD -> request.method();
            case PROTOCOL -> values.protocol();
            case CLIENT -> values.client().getHostAddress();
            case STATUS -> response == null ? null : Integer.toString(response.status());
            case TYPE -> response == null ? null : response.mediaType();
            case OUTCOME -> values.outcome();
            case AGE -> Long.toString(values.ageSeconds());
            case QUERY -> NamedValues.QUERY.value(values, name);
            case HEADER -> NamedValues.HEADER.value(values, name);
            case COOKIE -> NamedValues.COOKIE.value(values, name);
            case RESPONSE -> NamedValues.RESPONSE.value(values, name);
            case VARIABLE -> values.variable(name);
            case GROUP -> {
                int group = Integer.parseInt(name);
                yield group < groups.size() ? groups.get(group) : null;
            }
        };
    }

    @Override
    public Set<Input> inputs() {
        return kind == Kind.TARGET ? EnumSet.of(Input.PATH, Input.QUERY) : EnumSet.of(kind.input);
    }

    @Override
    public Set<String> variables() {
        return kind == Kind.VARIABLE ? Set.of(name) : Set.of();
    }

    @Override
    public Set<String> headers() {
        return kind == Kind.HEADER ? Set.of(name.toLowerCase(Locale.ROOT)) : Set.of();
    }
}
