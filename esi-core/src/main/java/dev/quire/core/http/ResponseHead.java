package dev.quire.core.http;

import java.util.Locale;

/**
 * The head of a response.
 *
 * @param status three digits, 200 and up: interim responses are not included
 * @param reason the reason phrase, possibly empty
 * @param fields all field lines
 */
public record ResponseHead(int status, String reason, Fields fields) {

    /** Returns the media type in lower case without parameters; empty if absent. */
    public String mediaType() {
        var type = fields.first("content-type");
        if (type == null) {
            return "";
        }
        int parameters = type.indexOf(';');
        var media = parameters < 0 ? type : type.substring(0, parameters);
        return media.strip().toLowerCase(Locale.ROOT);
    }

    /** Whether it is a stream of events, which may be silent for any time and need not end. */
    public boolean isEventStream() {
        return mediaType().equals("text/event-stream");
    }
}
