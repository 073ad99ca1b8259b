package dev.quire.spring;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.RequestFields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a fragment's request: the client's, except those of the page's own request, then
 * those that a surrogate adds, as the include has changed them (ESI 1.0 does not say which ones go
 * along).
 */
final class FragmentFields {

    private static final SaidOnce warnings = SaidOnce.of(FragmentFields.class);

    private final Fields fields;
    private final Set<String> own = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    /**
     * The fields of {@code call}.
     *
     * @param client those of the page's request, as the container made it
     */
    FragmentFields(Fields client, FragmentCall call) {
        var lines = new Fields.Builder();
        client.forEach((name, value) -> {
            if (goesAlong(name)) {
                lines.add(name, value);
            }
        });
        add(lines, CommitGuard.CAPABILITY, "quire=\"Surrogate/1.0 ESI/1.0\"");
        add(lines, "X-ESI-Level", Integer.toString(call.depth()));
        add(lines, "X-ESI-Parent", call.parent().url());
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

    /** The container has decided already whom it believes. */
    private static boolean goesAlong(String name) {
        return RequestFields.goesUp(name, true) && !RequestFields.isOfPageOnly(name);
    }

    /** Whether the include, or we, have said what {@code name} is. */
    boolean isOwn(String name) {
        return own.contains(name);
    }

    /** The first value of {@code name}, or null. */
    @Nullable String first(String name) {
        return fields.first(name);
    }

    /** All values of {@code name}, in order. */
    List<String> all(String name) {
        return fields.all(name);
    }

    /** The names of all fields, each once. */
    List<String> names() {
        var names = new LinkedHashMap<String, String>();
        fields.forEach((name, value) -> names.putIfAbsent(name.toLowerCase(Locale.ROOT), name));
        return List.copyOf(names.values());
    }
}
