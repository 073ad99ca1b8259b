package dev.quire.core.expression;

import dev.quire.core.expression.ResponseEdits.Field;
import dev.quire.core.expression.Value.Null;
import dev.quire.core.http.FieldSyntax;
import dev.quire.core.policy.ResponseFields;
import java.util.ArrayList;

/**
 * The built-in functions that change the response. Their value is null. Anything that would make
 * the response ambiguous or split it is dropped: control characters, framing and hop-by-hop fields
 * (RFC 9110 §7.6.1, RFC 9112 §6) and fields between surrogate and origin.
 */
final class ResponseFunctions {
    private static final int MAX_FIELDS = 64;
    private static final int MAX_VALUE = 8192;
    private static final int MAX_NAME = 256;
    private static final String LOCATION = "Location";

    private ResponseFunctions() {}

    static Value addField(Arguments call) {
        var name = call.text(0).text();
        var value = Strings.stripped(call.text(1).text(), true, true);
        if (name.length() > MAX_NAME || !FieldSyntax.isToken(name)) {
            return call.problem("the name is not a valid field name; dropped");
        }
        if (!ResponseFields.mayBeSet(name)) {
            return call.problem("a page must not set field '" + name + "'; dropped");
        }
        return add(call, name, value);
    }

    static Value setStatus(Arguments call) {
        var status = call.integer(0);
        if (status.isEmpty()) {
            return Null.NULL;
        }
        long code = status.getAsLong();
        if (code != (int) code || !ResponseFields.isStatusOfPage((int) code)) {
            return call.problem("the status must be from 200 to 599, except 205, 206, 304 and 416");
        }
        var before = call.scope().edits();
        var kept = before.status() == 204 ? null : before.body();
        var body = call.isMissing(1) ? kept : call.scope().written(call.at(1), Escape.MARKUP);
        call.scope().edit(new ResponseEdits((int) code, before.fields(), code == 204 ? "" : body));
        return Null.NULL;
    }

    static Value redirect(Arguments call) {
        var before = call.scope().edits();
        var location = Strings.stripped(call.text(0).text(), true, true);
        if (location.isEmpty() || !isAllowed(call, location)) {
            return location.isEmpty() ? call.problem("the location is empty; dropped") : Null.NULL;
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
        if (value.length() > MAX_VALUE) {
            call.problem("the value is longer than " + MAX_VALUE + " bytes; dropped");
            return false;
        }
        if (!FieldSyntax.isValue(value) || value.indexOf('\t') >= 0) {
            call.problem("the value contains control characters; dropped");
            return false;
        }
        return true;
    }
}
