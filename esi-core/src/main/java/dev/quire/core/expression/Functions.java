package dev.quire.core.expression;

import dev.quire.core.expression.Value.Null;
import dev.quire.core.expression.Value.Source;
import dev.quire.core.expression.Value.Text;
import dev.quire.core.http.HttpDate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The built-in functions (docs/esi.md, Functions): those of Akamai's extended ESI. A wrong number
 * or type of arguments gives null and a problem.
 */
enum Functions {
    LOWER(1, 1, call -> call.mapped(Ascii::lower)),
    UPPER(1, 1, call -> call.mapped(Ascii::upper)),
    STRIP(1, 1, call -> call.mapped(text -> Strings.stripped(text, true, true))),
    LSTRIP(1, 1, call -> call.mapped(text -> Strings.stripped(text, true, false))),
    RSTRIP(1, 1, call -> call.mapped(text -> Strings.stripped(text, false, true))),
    LEN(1, 1, Strings::length),
    SUBSTR(2, 3, Strings::substring),
    INDEX(2, 2, call -> Strings.index(call, true)),
    RINDEX(2, 2, call -> Strings.index(call, false)),
    REPLACE(3, 4, Strings::replace),
    STR(1, 1, call -> call.text(0)),
    INT(1, 1, Strings::integer),
    JOIN(1, 2, Strings::join),
    STRING_SPLIT(1, 3, Strings::split),
    LIST_DELITEM(2, 2, Functions::withoutItem),
    EXISTS(1, 1, call -> Value.Bool.of(!Evaluator.isEmpty(call.at(0)), Source.AUTHOR)),
    IS_EMPTY(
            1,
            1,
            call ->
                    Value.Bool.of(
                            !call.isMissing(0) && Evaluator.isEmpty(call.at(0)), Source.AUTHOR)),
    HTML_ENCODE(1, 1, call -> call.mapped(Encodings::htmlEncoded)),
    HTML_DECODE(1, 1, call -> call.decoded(XmlReferences::decode)),
    URL_ENCODE(1, 1, call -> call.mapped(Escape.URL::applied)),
    URL_DECODE(1, 1, call -> call.decoded(text -> UriText.decoded(text, false))),
    BASE64_ENCODE(1, 1, call -> call.mapped(Encodings::base64Encoded)),
    BASE64_DECODE(1, 1, Encodings::base64Decoded),
    // Strings are bytes, so text in UTF-8 needs no conversion.
    CONVERT_TO_UNICODE(1, 1, call -> call.isMissing(0) ? Null.NULL : call.text(0)),
    CONVERT_FROM_UNICODE(1, 1, call -> call.isMissing(0) ? Null.NULL : call.text(0)),
    DIGEST_MD5(1, 1, Encodings::md5),
    DIGEST_MD5_HEX(1, 1, call -> call.mapped(Encodings::md5Hex)),
    BIN_INT(1, 1, Encodings::binary),
    DOLLAR(0, 0, call -> new Text("$", Source.AUTHOR)),
    DQUOTE(0, 0, call -> new Text("\"", Source.AUTHOR)),
    SQUOTE(0, 0, call -> new Text("'", Source.AUTHOR)),
    TIME(0, 0, call -> new Value.Int(call.evaluation().now.getEpochSecond(), Source.AUTHOR)),
    HTTP_TIME(0, 1, Functions::httpTime),
    STRFTIME(2, 2, Functions::formattedTime),
    RAND(0, 1, Functions::random),
    LAST_RAND(0, 0, call -> call.evaluation().lastRandom),
    ADD_HEADER(2, 2, ResponseFunctions::addField),
    SET_RESPONSE_CODE(1, 2, ResponseFunctions::setStatus),
    SET_REDIRECT(1, 1, ResponseFunctions::redirect);

    private interface Body {
        Value value(Arguments call);
    }

    private static final long DEFAULT_RANDOM_BOUND = 100_000_000;
    private static final Map<String, Functions> BY_NAME = new HashMap<>();

    static {
        for (var each : values()) {
            BY_NAME.put(each.written, each);
        }
    }

    private final String written = name().toLowerCase(Locale.ROOT);
    private final int fewest;
    private final int most;

    // The lambdas are stateless.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Body body;

    Functions(int fewest, int most, Body body) {
        this.fewest = fewest;
        this.most = most;
        this.body = body;
    }

    /** Returns the function called {@code name}, in lower case, or null. */
    static @Nullable Functions named(String name) {
        return BY_NAME.get(name);
    }

    /** Whether the function called {@code name} changes the response. */
    static boolean isOfResponse(String name) {
        var function = named(name);
        return function == ADD_HEADER || function == SET_RESPONSE_CODE || function == SET_REDIRECT;
    }

    Value call(List<Value> arguments, Scope scope) {
        var call = new Arguments(written, arguments, scope);
        if (arguments.size() < fewest || arguments.size() > most) {
            var expected = fewest == most ? "" + fewest : fewest + " to " + most;
            return call.problem("takes " + expected + " arguments, not " + arguments.size());
        }
        // Whether a collection exists does not depend on its items.
        var source = this == EXISTS || this == IS_EMPTY ? call.at(0).source() : call.source();
        if (source == Source.SECRET && this != EXISTS && this != IS_EMPTY) {
            scope.refuseSecret("$" + written);
            return Null.NULL;
        }
        if (isOfResponse(written) && !scope.mayChangeResponse()) {
            return call.problem("not allowed (expected esi.response-functions: on)");
        }
        return Value.atLeast(body.value(call), source);
    }

    private static Value withoutItem(Arguments call) {
        if (!(call.at(0) instanceof Value.Items list)) {
            return call.problem("argument 1 must be a list");
        }
        var index = call.integer(1);
        if (index.isEmpty() || !call.evaluation().mayList(list.items.size())) {
            return Null.NULL;
        }
        var items = new ArrayList<>(list.items);
        if (index.getAsLong() >= 0 && index.getAsLong() < items.size()) {
            items.remove((int) index.getAsLong());
        }
        return new Value.Items(items);
    }

    private static Value httpTime(Arguments call) {
        var time = time(call);
        return time == null ? Null.NULL : new Text(HttpDate.format(time), call.source());
    }

    private static Value formattedTime(Arguments call) {
        var time = time(call);
        return time == null
                ? Null.NULL
                : call.made(call.text(1), format -> ClockFormat.formatted(time, format));
    }

    /** Returns the time in the first argument, or now; null, and reported, if it is invalid. */
    private static @Nullable Instant time(Arguments call) {
        if (call.isMissing(0)) {
            return call.evaluation().now;
        }
        var seconds = call.integer(0);
        if (seconds.isEmpty()) {
            return null;
        }
        if (!ClockFormat.isWritable(seconds.getAsLong())) {
            call.problem("the time must be in the years 0 to 9999");
            return null;
        }
        return Instant.ofEpochSecond(seconds.getAsLong());
    }

    private static Value random(Arguments call) {
        long bound = DEFAULT_RANDOM_BOUND;
        if (call.count() == 1) {
            var given = call.integer(0);
            if (given.isEmpty()) {
                return Null.NULL;
            }
            bound = given.getAsLong();
        }
        if (bound <= 0) {
            return call.problem("argument 1 must be positive");
        }
        var value = new Value.Int(call.evaluation().random.nextLong(bound), Source.AUTHOR);
        call.evaluation().lastRandom = value;
        return value;
    }
}
