package dev.quire.core.expression;

import dev.quire.core.expression.ResponseEdits.Field;
import dev.quire.core.expression.Value.Null;
import dev.quire.core.expression.Value.Source;
import java.util.ArrayList;
import java.util.Set;

/**
 * The built-in functions that change the response. They have no value. What would make the response
 * ambiguous or split it is dropped: control characters, framing and hop-by-hop fields (RFC 9110
 * §7.6.1, RFC 9112 §6), what is between surrogate and origin alone, and secrets.
 */
final class ResponseFunctions {
    private static final int MAX_FIELDS = 64;
    private static final int MAX_VALUE = 8192;
    private static final int MAX_NAME = 256;
    private static final String LOCATION = "Location";

    private static final Set<String> FORBIDDEN =
            Set.of(
                    "age",
                    "connection",
                    "content-encoding",
                    "content-length",
                    "content-range",
                    "date",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authentication-info",
                    "proxy-connection",
                    "surrogate-capability",
                    "surrogate-control",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    private ResponseFunctions() {}

    static Value addField(Arguments call) {
        var name = call.text(0).text();
        var value = Strings.stripped(call.text(1).text(), true, true);
        if (name.length() > MAX_NAME || !isToken(name)) {
            return call.problem("the name is no field name; dropped");
        }
        if (FORBIDDEN.contains(Ascii.lower(name))) {
            return call.problem("this field is not the page's to set; dropped");
        }
        return add(call, name, value);
    }

    static Value setStatus(Arguments call) {
        var status = call.integer(0);
        if (status.isEmpty()) {
            return Null.NULL;
        }
        long code = status.getAsLong();
        if (code < 200 || code > 599 || code == 206 || code == 304) {
            return call.problem("the status must be one from 200 to 599, and not 206 or 304");
        }
        var before = call.scope().edits();
        var kept = hasNoContent(before.status()) ? null : before.body();
        var body = call.isMissing(1) ? kept : call.scope().written(call.at(1), Escape.MARKUP);
        call.scope()
                .edit(
                        new ResponseEdits(
                                (int) code, before.fields(), hasNoContent(code) ? "" : body));
        return Null.NULL;
    }

    private static boolean hasNoContent(long status) {
        return status == 204 || status == 205;
    }

    static Value redirect(Arguments call) {
        var before = call.scope().edits();
        var location = Strings.stripped(call.text(0).text(), true, true);
        if (location.isEmpty() || !isAllowed(call, location)) {
            return location.isEmpty() ? call.problem("the address is empty; dropped") : Null.NULL;
        }
        var fields = new ArrayList<Field>();
        for (var field : before.fields()) {
            if (!field.name().equalsIgnoreCase(LOCATION)) {
                fields.add(field);
            }
        }
        fields.add(new Field(LOCATION, UriText.legal(location)));
        call.scope().edit(new ResponseEdits(302, fields, before.body()));
        return Null.NULL;
    }

    private static Value add(Arguments call, String name, String value) {
        if (call.scope().edits().fields().size() >= MAX_FIELDS) {
            return call.problem("the page adds more than " + MAX_FIELDS + " fields; dropped");
        }
        if (isAllowed(call, value)) {
            call.scope().addField(name, value);
        }
        return Null.NULL;
    }

    private static boolean isAllowed(Arguments call, String value) {
        if (call.source() == Source.SECRET) {
            call.problem("the value is a secret of the client; dropped");
            return false;
        }
        if (value.length() > MAX_VALUE) {
            call.problem("the value is longer than " + MAX_VALUE + " bytes; dropped");
            return false;
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < ' ' || c == 0x7F || c > 0xFF) {
                call.problem("the value has control characters; dropped");
                return false;
            }
        }
        return true;
    }

    /** RFC 9110 §5.6.2. */
    private static boolean isToken(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!Ascii.isLetter(c) && !Ascii.isDigit(c) && "!#$%&'*+-.^_`|~".indexOf(c) < 0) {
                return false;
            }
        }
        return !name.isEmpty();
    }
}
