package dev.quire.spring;

import dev.quire.core.assemble.FragmentTerms.FieldEdit;
import dev.quire.core.http.Fields;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a fragment's request: the client's, but for those that are about the page's own
 * request, then those a surrogate adds, as the include has changed them (which ones go along is our
 * own choice; ESI 1.0 does not say).
 */
final class FragmentFields {

    /** The client's are not the fragment's, and an include cannot set them. */
    private static final Set<String> WITHHELD =
            Set.of(
                    "accept-encoding",
                    "connection",
                    "expect",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "proxy-connection",
                    "range",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    /** The client's go along as they are: who asks, for what, and how the request is framed. */
    private static final Set<String> FIXED =
            Set.of(
                    "content-length",
                    "forwarded",
                    "host",
                    "http2-settings",
                    "proxy",
                    "proxy-authentication-info",
                    "via",
                    "x-host",
                    "x-http-method",
                    "x-http-method-override",
                    "x-method-override",
                    "x-original-url",
                    "x-real-ip",
                    "x-rewrite-url");

    private static final SaidOnce warnings = SaidOnce.of(FragmentFields.class);

    private final Fields client;
    private final Map<String, List<String>> own = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    /**
     * The fields of {@code call}.
     *
     * @param client those of the page's request, as the container made it
     */
    FragmentFields(Fields client, FragmentCall call) {
        this.client = client;
        own.put(CommitGuard.CAPABILITY, List.of("quire=\"Surrogate/1.0 ESI/1.0\""));
        own.put("X-ESI-Level", List.of(Integer.toString(call.depth())));
        own.put("X-ESI-Parent", List.of(call.parent().url()));
        if (!call.body().isEmpty()) {
            own.put("Content-Length", List.of(Integer.toString(call.body().length())));
            own.put("Content-Type", List.of("application/x-www-form-urlencoded"));
        }
        for (var edit : call.fields()) {
            if (mayBeChanged(edit.name())) {
                change(edit);
            } else {
                warnings.warn(
                        call.parent().path(),
                        "the field " + edit.name() + " of a fragment's request cannot be changed");
            }
        }
    }

    private void change(FieldEdit edit) {
        switch (edit.edit()) {
            case SET -> own.put(edit.name(), List.of(edit.value()));
            case APPEND -> {
                var lines = new ArrayList<>(all(edit.name()));
                lines.add(edit.value());
                own.put(edit.name(), lines);
            }
            case REMOVE -> own.put(edit.name(), List.of());
        }
    }

    private static boolean mayBeChanged(String name) {
        var field = name.toLowerCase(Locale.ROOT);
        return !WITHHELD.contains(field)
                && !FIXED.contains(field)
                && !field.startsWith("if-")
                && !field.startsWith("x-forwarded-")
                && !RequestFields.isOfSurrogates(field);
    }

    private static boolean isWithheld(String name) {
        var field = name.toLowerCase(Locale.ROOT);
        return WITHHELD.contains(field)
                || field.startsWith("if-")
                || field.startsWith("content-")
                || RequestFields.isOfSurrogates(field);
    }

    /** Whether the include, or we, have said what {@code name} is. */
    boolean isOwn(String name) {
        return own.containsKey(name);
    }

    /** The first value of {@code name}, or null. */
    @Nullable String first(String name) {
        var lines = own.get(name);
        if (lines != null) {
            return lines.isEmpty() ? null : lines.getFirst();
        }
        return isWithheld(name) ? null : client.first(name);
    }

    /** All values of {@code name}, in order. */
    List<String> all(String name) {
        var lines = own.get(name);
        if (lines != null) {
            return lines;
        }
        return isWithheld(name) ? List.of() : client.all(name);
    }

    /** The names of all fields, each once. */
    List<String> names() {
        var names = new LinkedHashMap<String, String>();
        client.forEach((name, value) -> {
            if (!isWithheld(name) && !isOwn(name)) {
                names.putIfAbsent(name.toLowerCase(Locale.ROOT), name);
            }
        });
        own.forEach((name, lines) -> {
            if (!lines.isEmpty()) {
                names.put(name.toLowerCase(Locale.ROOT), name);
            }
        });
        return List.copyOf(names.values());
    }
}
