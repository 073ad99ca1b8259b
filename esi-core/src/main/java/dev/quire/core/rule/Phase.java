package dev.quire.core.rule;

import dev.quire.core.http.FieldNames;
import dev.quire.core.policy.HopByHop;
import dev.quire.core.policy.RequestFields;
import java.util.Locale;

/** The phases in which rules apply to a request and its response. */
public enum Phase {
    /** Before the look-up. */
    REQUEST,

    /** Once a response of an origin has arrived; the results are stored. */
    RESPONSE,

    /** Before a response is sent to a client. */
    DELIVER;

    /** The bases of a stored response: coding, age, variants, validators, and what is added. */
    private static final FieldNames CLOSED_IN_RESPONSES =
            FieldNames.of(
                    "age",
                    "cache-status",
                    "content-encoding",
                    "content-length",
                    "content-range",
                    "date",
                    "etag",
                    "last-modified",
                    "surrogate-control",
                    "vary",
                    "via");

    /** Whether rules of this phase can read {@code input}. */
    public boolean reads(Input input) {
        return switch (this) {
            case REQUEST -> !input.isOfResponse() && !input.isOfDelivery();
            case RESPONSE -> !input.isOfRequest() && !input.isOfDelivery();
            case DELIVER -> true;
        };
    }

    /**
     * Whether rules of this phase must not change the field {@code name}: it is hop-by-hop, belongs
     * to the framing, or only the proxy sets it.
     */
    public boolean isClosed(String name) {
        return switch (this) {
            case REQUEST -> !RequestFields.mayBeEdited(name) || RequestFields.isOfBody(name);
            case RESPONSE -> HopByHop.isHopByHop(name) || CLOSED_IN_RESPONSES.contains(name);
            case DELIVER -> HopByHop.isHopByHop(name) || DeliverRules.CLOSED.contains(name);
        };
    }

    /** Like {@link #isClosed}, for lines that are added to others: Vary may get more names. */
    public boolean isClosedToMore(String name) {
        return isClosed(name) && !(this != REQUEST && name.equalsIgnoreCase("vary"));
    }

    /** Says what {@code input} is, which this phase cannot read. */
    public String unreadable(Input input) {
        return "'"
                + input.label()
                + "', which "
                + (input.isOfRequest()
                        ? "is not the same for all requests of a stored response"
                        : input.isOfResponse()
                                ? "exists only once a response has arrived"
                                : "exists only in the response to a client");
    }

    /** The values that it can read, for messages. */
    public String readable() {
        return switch (this) {
            case REQUEST -> "the request or its client";
            case RESPONSE -> "the URL or the response, or var.NAME";
            case DELIVER -> "the request, its client or the response";
        };
    }

    /** The name of its rules in a configuration. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
