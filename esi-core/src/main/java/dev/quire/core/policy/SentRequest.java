package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A request as it is sent to the origin to fill the store. Its fields select the stored response
 * (RFC 9111 §4.1), so a client's field that the origin does not get selects nothing.
 *
 * @param received the client's request, with its identity
 * @param fields the fields for the origin
 * @param keyedFields names, in lower case, of fields that select a response whether or not its
 *     {@code Vary} names them
 * @param editedFields names, in lower case, of fields to which an include or a rule gives a value
 *     of the client; a response is stored and reused only if its {@code Vary} names them
 */
public record SentRequest(
        RequestHead received, Fields fields, List<String> keyedFields, List<String> editedFields) {

    public SentRequest {
        keyedFields = List.copyOf(keyedFields);
        editedFields = List.copyOf(editedFields);
    }

    /** Returns a request that is sent as received. */
    public static SentRequest of(RequestHead request) {
        return new SentRequest(request, request.fields(), List.of(), List.of());
    }

    /** Returns this request with another field, which selects a response as a keyed one. */
    public SentRequest keyedBy(String name, String value) {
        var keyed = new ArrayList<>(keyedFields);
        keyed.add(name.toLowerCase(Locale.ROOT));
        return new SentRequest(
                received,
                new Fields.Builder().addAll(fields).add(name, value).build(),
                keyed,
                editedFields);
    }

    /** Returns the head as sent. */
    public RequestHead head() {
        return new RequestHead(
                received.method(),
                received.scheme(),
                received.authority(),
                received.target(),
                fields);
    }

    /** Whether a response that these fields selected may be served for this request. */
    public boolean isSelectedBy(SelectingFields selecting) {
        return selecting.matches(fields)
                && selecting.contains(keyedFields)
                && selecting.contains(editedFields);
    }

    /** Whether the {@code Vary} of {@code response} names all edited fields. */
    boolean isSharedBy(Fields response) {
        return editedFields.isEmpty() || SelectingFields.names(response).containsAll(editedFields);
    }
}
