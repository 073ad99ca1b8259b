package dev.quire.core.rule;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheControl;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The values of clients on which the response for one URL depends. Caches of clients know them only
 * by {@code Vary}. Immutable.
 *
 * @param fields names of request fields, in lower case
 * @param hasOthers whether there are values that no field shows, such as the address
 */
public record ClientInputs(Set<String> fields, boolean hasOthers) {
    public static final ClientInputs NONE = new ClientInputs(Set.of(), false);

    /** In place of the names of fields that are not constant. */
    public static final String ANY_FIELD = "*";

    public ClientInputs {
        fields = Set.copyOf(fields);
    }

    /**
     * Returns the inputs of a condition or template.
     *
     * @param inputs without variables; the method, the level and the time do not count, since they
     *     are known to caches or the same for all clients
     * @param headers the names of the fields that it reads, in lower case
     */
    static ClientInputs of(Set<Input> inputs, Set<String> headers) {
        var names = new TreeSet<>(headers);
        if (inputs.contains(Input.COOKIE)) {
            names.add("cookie");
        }
        boolean hasOthers =
                names.remove(ANY_FIELD)
                        || inputs.contains(Input.CLIENT)
                        || inputs.contains(Input.PROTOCOL);
        return names.isEmpty() && !hasOthers ? NONE : new ClientInputs(names, hasOthers);
    }

    public boolean isEmpty() {
        return fields.isEmpty() && !hasOthers;
    }

    /** Returns these and {@code more}. */
    public ClientInputs plus(ClientInputs more) {
        if (more.isEmpty() || equals(more)) {
            return this;
        }
        if (isEmpty()) {
            return more;
        }
        var all = new TreeSet<>(fields);
        all.addAll(more.fields);
        return new ClientInputs(all, hasOthers || more.hasOthers);
    }

    /**
     * Returns the fields of a response with these inputs: with their names in {@code Vary}, and
     * private if there are others. The same if nothing is stored.
     */
    public Fields in(Fields response) {
        if (isEmpty() || CacheControl.of(response).noStore()) {
            return response;
        }
        return varying(hasOthers ? privately(response) : response);
    }

    private Fields varying(Fields response) {
        var known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        known.addAll(FieldList.members(response.all("Vary")));
        if (known.contains("*") || known.containsAll(fields)) {
            return response;
        }
        var names = new LinkedHashSet<>(FieldList.members(response.all("Vary")));
        new TreeSet<>(fields).stream().filter(name -> !known.contains(name)).forEach(names::add);
        return new Fields.Builder()
                .addAll(response.without("Vary"::equalsIgnoreCase))
                .add("Vary", String.join(", ", names))
                .build();
    }

    /** Keeps the lifetime for the client's own cache. */
    private static Fields privately(Fields response) {
        var directives = new LinkedHashSet<String>();
        directives.add("private");
        for (var member : FieldList.members(response.all("Cache-Control"))) {
            if (!isOfSharedCaches(member)) {
                directives.add(member);
            }
        }
        return new Fields.Builder()
                .addAll(response.without(ClientInputs::isForSharedCaches))
                .add("Cache-Control", String.join(", ", directives))
                .build();
    }

    private static boolean isOfSharedCaches(String directive) {
        int end = directive.indexOf('=');
        var name = (end < 0 ? directive : directive.substring(0, end)).strip();
        return List.of("private", "public", "s-maxage", "proxy-revalidate").stream()
                .anyMatch(name::equalsIgnoreCase);
    }

    private static boolean isForSharedCaches(String field) {
        return field.equalsIgnoreCase("Cache-Control")
                || field.equalsIgnoreCase("CDN-Cache-Control")
                || field.equalsIgnoreCase("Surrogate-Control");
    }
}
