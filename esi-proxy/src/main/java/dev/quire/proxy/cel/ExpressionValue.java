package dev.quire.proxy.cel;

import static java.util.stream.Collectors.toUnmodifiableMap;

import dev.cel.common.types.CelType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.quire.core.policy.Admission;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.Input;
import dev.quire.core.rule.NamedValues;
import dev.quire.core.rule.RuleValues;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The values that expressions read, with their names and types. */
enum ExpressionValue {
    METHOD("method", Input.METHOD, SimpleType.STRING, values -> values.request().method()),
    SCHEME("scheme", Input.SCHEME, SimpleType.STRING, values -> values.request().scheme().text()),

    /** Without its port: clients choose that. */
    HOST(
            "host",
            Input.HOST,
            SimpleType.STRING,
            values -> HostPattern.withoutPort(values.request().authority())),
    PORT("port", Input.HOST, SimpleType.INT, ExpressionValue::port),

    /** As path patterns of routes and matchers compare it. */
    PATH("path", Input.PATH, SimpleType.STRING, RuleValues::simplifiedPath),
    TARGET("target", Input.QUERY, SimpleType.STRING, values -> values.request().target()),
    PROTOCOL("proto", Input.PROTOCOL, SimpleType.STRING, RuleValues::protocol),
    CLIENT(
            "client.ip",
            Input.CLIENT,
            SimpleType.STRING,
            values -> values.client().getHostAddress()),
    TRUSTED("client.trusted", Input.CLIENT, SimpleType.BOOL, RuleValues::isTrusted),
    LEVEL("esi.level", Input.LEVEL, SimpleType.INT, values -> (long) values.level()),
    NOW("now", Input.NOW, SimpleType.TIMESTAMP, RuleValues::now),
    QUERY("query", NamedValues.QUERY),
    HEADER("header", NamedValues.HEADER),
    COOKIE("cookie", NamedValues.COOKIE),
    RESPONSE("response", NamedValues.RESPONSE),

    /** Variables can be read only by names that are constants. */
    VARIABLE("var", Input.VARIABLE, Types.TEXTS, NamedMap::ofVariables),
    STATUS("status", Input.STATUS, SimpleType.INT, ExpressionValue::status),
    TYPE("type", Input.TYPE, SimpleType.STRING, ExpressionValue::type),

    /** -1 if the response does not announce it. */
    LENGTH("length", Input.LENGTH, SimpleType.INT, ExpressionValue::length),
    OUTCOME("outcome", Input.OUTCOME, SimpleType.STRING, RuleValues::outcome),
    AGE("age", Input.AGE, SimpleType.INT, RuleValues::ageSeconds);

    private static final Map<String, ExpressionValue> BY_NAME =
            Arrays.stream(values()).collect(toUnmodifiableMap(value -> value.text, value -> value));

    private final String text;
    private final Input input;
    private final CelType type;

    // A function without state.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Function<RuleValues, Object> reading;

    ExpressionValue(String text, Input input, CelType type, Function<RuleValues, Object> reading) {
        this.text = text;
        this.input = input;
        this.type = type;
        this.reading = reading;
    }

    ExpressionValue(String text, NamedValues named) {
        this(text, named.input(), Types.TEXTS, values -> NamedMap.of(named, values));
    }

    /** Constants that the constructor can use. */
    private static final class Types {
        static final CelType TEXTS = MapType.create(SimpleType.STRING, SimpleType.STRING);
    }

    /** Returns the value called {@code name}, or null. */
    static @Nullable ExpressionValue named(String name) {
        return BY_NAME.get(name);
    }

    /** The name in expressions. */
    String text() {
        return text;
    }

    Input input() {
        return input;
    }

    CelType type() {
        return type;
    }

    /** Whether it is a map of texts. */
    boolean isMap() {
        return type.equals(Types.TEXTS);
    }

    /** Returns the value as the library represents it. */
    Object read(RuleValues values) {
        return reading.apply(values);
    }

    private static long port(RuleValues values) {
        var request = values.request();
        int host = HostPattern.withoutPort(request.authority()).length();
        if (host == request.authority().length()) {
            return request.scheme().defaultPort();
        }
        try {
            return Integer.parseInt(request.authority().substring(host + 1));
        } catch (NumberFormatException noNumber) {
            return -1;
        }
    }

    private static long status(RuleValues values) {
        var head = values.response();
        return head == null ? 0 : head.status();
    }

    private static String type(RuleValues values) {
        var head = values.response();
        return head == null ? "" : head.mediaType();
    }

    private static long length(RuleValues values) {
        var head = values.response();
        return head == null ? Admission.UNKNOWN : Admission.announcedBytes(head.fields());
    }
}
