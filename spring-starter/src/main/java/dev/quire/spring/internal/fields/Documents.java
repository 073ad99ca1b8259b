package dev.quire.spring.internal.fields;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.SurrogateControl;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides which responses may be ESI documents.
 *
 * @param types media types that may hold tags, in lower case
 */
public record Documents(Set<String> types) {

    /** The proxy's default device token, so that directives targeted at it apply here too. */
    private static final String DEVICE = "quire";

    private static final Set<String> STREAMS =
            Set.of(
                    "application/json-seq",
                    "application/jsonl",
                    "application/ndjson",
                    "application/stream+json",
                    "application/x-ndjson",
                    "multipart/x-mixed-replace",
                    "text/event-stream");

    public Documents {
        types = Set.copyOf(types);
    }

    /** Returns the documents with the media types {@code types}, in any case. */
    public static Documents of(List<String> types) {
        return new Documents(
                types.stream()
                        .map(type -> type.toLowerCase(Locale.ROOT))
                        .collect(Collectors.toUnmodifiableSet()));
    }

    public boolean mayHoldTags(@Nullable String contentType) {
        return contentType != null && types.contains(mediaType(contentType));
    }

    /** Whether this type is JSON, with tags inside its strings. */
    public static boolean isJson(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        var type = mediaType(contentType);
        return type.equals("application/json") || type.endsWith("+json");
    }

    /** Whether clients read responses of this type while they are written. */
    public static boolean isStream(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        var type = mediaType(contentType);
        return STREAMS.contains(type) || type.startsWith("audio/") || type.startsWith("video/");
    }

    /** The statement of a response itself about ESI processing. */
    public enum Processing {
        REQUESTED,
        UNSAID,
        /** It has a stamp that the request did not announce, so all of its tags are text. */
        REFUSED
    }

    /** Whether {@code response} itself requests processing (Edge Architecture 1.0 §2.2). */
    public static boolean asksForEsi(HttpServletResponse response) {
        return response.containsHeader(SurrogateFields.CONTROL) && control(response).asksForEsi();
    }

    /** Returns what {@code response}, to a request without a stamp, says. */
    public static Processing processing(HttpServletResponse response) {
        return processing(control(response));
    }

    /** Returns what a response with these fields, to a request without a stamp, says. */
    public static Processing processing(Fields response) {
        return processing(SurrogateControl.of(response, DEVICE));
    }

    private static Processing processing(SurrogateControl control) {
        if (control.stampStatus(null) == StampStatus.INERT) {
            return Processing.REFUSED;
        }
        return control.asksForEsi() ? Processing.REQUESTED : Processing.UNSAID;
    }

    private static SurrogateControl control(HttpServletResponse response) {
        var fields = new Fields.Builder();
        for (var line : response.getHeaders(SurrogateFields.CONTROL)) {
            fields.add(SurrogateFields.CONTROL, line);
        }
        return SurrogateControl.of(fields.build(), DEVICE);
    }

    private static String mediaType(String contentType) {
        int parameters = contentType.indexOf(';');
        var type = parameters < 0 ? contentType : contentType.substring(0, parameters);
        return type.strip().toLowerCase(Locale.ROOT);
    }
}
