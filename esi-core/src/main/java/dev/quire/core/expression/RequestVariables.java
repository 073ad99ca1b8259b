package dev.quire.core.expression;

import dev.quire.core.expression.Value.Null;
import dev.quire.core.expression.Value.Source;
import dev.quire.core.expression.Value.Text;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The variables that documents can read of one client request (docs/esi.md, Variables). The request
 * is only read on access; its cookies are parsed once for all documents. Confined to one thread.
 */
public final class RequestVariables {

    private static final String FIELD_PREFIX = "HTTP_";

    private final RequestHead request;
    private final String clientAddress;
    private final Rules rules;
    private final Optional<Variables> others;
    private @Nullable Cookies cookies;
    private @Nullable String arguments;

    /** {@link VariableRules} prepared for look-ups. Immutable. */
    public static final class Rules {
        private final VariableRules written;
        private final NamePatterns deniedCookies;

        public Rules(VariableRules written) {
            this.written = written;
            this.deniedCookies = new NamePatterns(written.deniedCookies());
        }
    }

    /**
     * Creates the variables of one request.
     *
     * @param clientAddress without a port
     * @param others the source of variables that neither the request nor {@code rules} define, such
     *     as {@code GEO{country_code}}
     */
    public RequestVariables(
            RequestHead request, String clientAddress, Rules rules, Optional<Variables> others) {
        this.request = request;
        this.clientAddress = clientAddress;
        this.rules = rules;
        this.others = others;
    }

    /** Returns the variables for the document at {@code key}, with its own path and query. */
    public Variables of(CacheKey key) {
        return new OfDocument(key);
    }

    private final class OfDocument implements Variables {
        private final CacheKey document;
        private @Nullable String query;

        OfDocument(CacheKey document) {
            this.document = document;
        }

        @Override
        public Value value(String name, @Nullable String key) {
            return switch (name) {
                case "QUERY_STRING" -> query(key);
                case "REQUEST_PATH" -> plain(document.path(), Source.ADDRESS, key);
                default -> requested(name, key);
            };
        }

        @Override
        public Source source(String name) {
            return switch (name) {
                case "HTTP_HOST", "QUERY_STRING", "REQUEST_PATH", "ESI_ARGS" -> Source.ADDRESS;
                case "HTTP_AUTHORIZATION", "HTTP_PROXY_AUTHORIZATION" -> Source.SECRET;
                case "REQUEST_METHOD", "REMOTE_ADDR" -> Source.CLIENT;
                default -> {
                    if (isField(name)) {
                        yield Source.CLIENT;
                    }
                    yield rules.written.defines(name) || others.isEmpty()
                            ? Source.AUTHOR
                            : others.get().source(name);
                }
            };
        }

        @Override
        public boolean changesResponse() {
            return rules.written.changesResponse();
        }

        private Value query(@Nullable String key) {
            var whole = query;
            if (whole == null) {
                whole = Query.of(document.target());
                query = whole;
            }
            return key == null ? text(whole, Source.ADDRESS) : argument(whole, key);
        }
    }

    private Value requested(String name, @Nullable String key) {
        return switch (name) {
            case "HTTP_COOKIE" -> key == null ? cookies().all() : cookies().value(key);
            case "HTTP_HOST" -> plain(request.authority(), Source.ADDRESS, key);
            case "HTTP_ACCEPT_LANGUAGE" -> key == null ? field(name, null) : language(key);
            case "HTTP_USER_AGENT" -> key == null ? field(name, null) : userAgent(key);
            case "HTTP_HEADER" -> key == null ? Null.NULL : header(key);
            case "REQUEST_METHOD" -> plain(request.method(), Source.CLIENT, key);
            case "REMOTE_ADDR" -> plain(clientAddress, Source.CLIENT, key);
            case "ESI_ARGS" -> arguments(key);
            default -> isField(name) ? field(name, key) : custom(name, key);
        };
    }

    private Text text(String text, Source source) {
        return new Text(text, source, !rules.written.escapes());
    }

    /** A variable without keys. */
    private Value plain(String text, Source source, @Nullable String key) {
        return key == null ? text(text, source) : Null.NULL;
    }

    private Cookies cookies() {
        var read = cookies;
        if (read == null) {
            read =
                    new Cookies(
                            request.fields().all("cookie"),
                            rules.deniedCookies,
                            rules.written.escapes());
            cookies = read;
        }
        return read;
    }

    private Value argument(String query, String key) {
        var value =
                rules.written.decodesQuery()
                        ? Query.firstDecoded(query, key)
                        : Query.first(query, key);
        return value == null ? Null.NULL : text(value, Source.ADDRESS);
    }

    /** They are not part of the document's own address, so they are read from the client's. */
    private Value arguments(@Nullable String key) {
        if (rules.written.argumentsPrefix().isEmpty()) {
            return Null.NULL;
        }
        var own = arguments;
        if (own == null) {
            own =
                    Query.withPrefix(
                            Query.of(request.target()), rules.written.argumentsPrefix().get());
            arguments = own;
        }
        return key == null ? text(own, Source.ADDRESS) : argument(own, key);
    }

    /** Only upper case: other spellings must not bypass the rules for cookies. */
    private static boolean isField(String name) {
        return name.startsWith(FIELD_PREFIX) && Ascii.upper(name).equals(name);
    }

    /** {@code HTTP_X_NAME}: all lines of {@code X-Name}, or the one with index {@code key}. */
    private Value field(String variable, @Nullable String key) {
        var name = variable.substring(FIELD_PREFIX.length()).replace('_', '-');
        boolean isSecret = isCredentials(name);
        return field(name, key, isSecret ? Source.SECRET : Source.CLIENT);
    }

    private Value field(String name, @Nullable String key, Source source) {
        var lines = request.fields().all(name);
        if (lines.isEmpty()) {
            return Null.NULL;
        }
        if (key != null) {
            var index = Numbers.integer(key);
            return index.isPresent() && index.getAsLong() >= 0 && index.getAsLong() < lines.size()
                    ? text(lines.get((int) index.getAsLong()), source)
                    : Null.NULL;
        }
        return text(lines.size() == 1 ? lines.getFirst() : String.join(", ", lines), source);
    }

    /** {@code HTTP_HEADER{name}}; credentials and cookies are not available this way. */
    private Value header(String name) {
        return isCredentials(name) || name.equalsIgnoreCase("cookie")
                ? Null.NULL
                : field(name, null, Source.CLIENT);
    }

    private static boolean isCredentials(String name) {
        return name.equalsIgnoreCase("authorization")
                || name.equalsIgnoreCase("proxy-authorization");
    }

    /** Whether the client lists exactly this language, whatever its weight. */
    private Value language(String tag) {
        for (var line : request.fields().all("accept-language")) {
            int start = 0;
            while (start < line.length()) {
                int comma = line.indexOf(',', start);
                int end = comma < 0 ? line.length() : comma;
                int semicolon = line.indexOf(';', start, end);
                var range = line.substring(start, semicolon < 0 ? end : semicolon).strip();
                if (range.equalsIgnoreCase(tag)) {
                    return Value.Bool.of(true, Source.CLIENT);
                }
                start = end + 1;
            }
        }
        return Value.Bool.of(false, Source.CLIENT);
    }

    private Value userAgent(String key) {
        var agent = request.fields().first("user-agent");
        if (agent == null) {
            return Null.NULL;
        }
        return switch (key) {
            case "browser" -> text(UserAgent.browser(agent), Source.CLIENT);
            case "version" -> text(UserAgent.version(agent), Source.CLIENT);
            case "os" -> text(UserAgent.system(agent), Source.CLIENT);
            default -> Null.NULL;
        };
    }

    private Value custom(String name, @Nullable String key) {
        var value = rules.written.value(name, key);
        if (value != null) {
            return new Text(value, Source.AUTHOR);
        }
        return others.isEmpty() ? Null.NULL : others.get().value(name, key);
    }
}
