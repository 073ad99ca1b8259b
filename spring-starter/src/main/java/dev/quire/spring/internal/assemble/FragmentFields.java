package dev.quire.spring.internal.assemble;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.RequestFields;
import dev.quire.spring.internal.fields.SurrogateFields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a fragment's request: the client's fields except those that belong to the page's
 * request only, then those that a surrogate adds, with the include's changes (ESI 1.0 does not
 * define which fields are forwarded).
 */
final class FragmentFields {

    private static final LogOnce warnings = LogOnce.of(FragmentFields.class);

    private final Fields fields;
    private final Set<String> own = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    /**
     * Builds the fields of {@code call}.
     *
     * @param client the fields of the page's request as created by the container
     */
    FragmentFields(Fields client, FragmentCall call) {
        var lines = new Fields.Builder();
        client.forEach((name, value) -> {
            if (goesAlong(name)) {
                lines.add(name, value);
            }
        });
        add(lines, SurrogateFields.CAPABILITY, "quire=\"Surrogate/1.0 ESI/1.0\"");
        add(lines, "X-ESI-Level", Integer.toString(call.depth()));
        var parent = call.parent().asParentOf(call.key());
        if (parent != null) {
            add(lines, "X-ESI-Parent", parent);
        }
        if (!call.body().isEmpty()) {
            add(lines, "Content-Length", Integer.toString(call.body().length()));
            add(lines, "Content-Type", "application/x-www-form-urlencoded");
        }
        for (var edit : call.terms().fields()) {
            if (edit.isAllowed()) {
                own.add(edit.name());
            } else {
                warnings.warn(
                        call.parent().path(),
                        "the field " + edit.name() + " of a fragment's request cannot be changed");
            }
        }
        fields = call.terms().allowed().edited(lines.build());
    }

    private void add(Fields.Builder lines, String name, String value) {
        lines.add(name, value);
        own.add(name);
    }

    /** Whether a field is forwarded. The container has already applied forwarding fields. */
    private static boolean goesAlong(String name) {
        return RequestFields.goesUp(name) && !RequestFields.isOfPageOnly(name);
    }

    /** Whether the include or this class set {@code name}. */
    boolean isOwn(String name) {
        return own.contains(name);
    }

    /** Returns the first value of {@code name}, or null. */
    @Nullable String first(String name) {
        return fields.first(name);
    }

    /** Returns all values of {@code name}, in order. */
    List<String> all(String name) {
        return fields.all(name);
    }

    /** Returns the names of all fields, each once. */
    List<String> names() {
        var names = new LinkedHashMap<String, String>();
        fields.forEach((name, value) -> names.putIfAbsent(name.toLowerCase(Locale.ROOT), name));
        return List.copyOf(names.values());
    }
}
