package dev.quire.proxy.path;

import dev.quire.core.assemble.FragmentTerms.FieldEdit;
import dev.quire.core.http.Fields;
import dev.quire.proxy.listen.ClientFields;
import java.util.List;

/**
 * What an include changes in the fields of its request. Never those that say where the request
 * goes, how it is framed or what we vouch for, nor those that would make the answer another one
 * than the cache takes it for: a part, a 304, a coded body.
 */
final class FieldEdits {
    private FieldEdits() {}

    /** Those of {@code edits} that may be made. */
    static List<FieldEdit> allowed(List<FieldEdit> edits) {
        // Most includes change nothing, and streams are dear for that.
        return edits.isEmpty() || edits.stream().allMatch(FieldEdits::isAllowed)
                ? edits
                : edits.stream().filter(FieldEdits::isAllowed).toList();
    }

    /** {@code fields} with all of {@code edits} made, in order. */
    static Fields applied(Fields fields, List<FieldEdit> edits) {
        var edited = fields;
        for (var edit : edits) {
            edited =
                    switch (edit.edit()) {
                        case SET -> with(without(edited, edit.name()), edit);
                        case APPEND -> with(edited, edit);
                        case REMOVE -> without(edited, edit.name());
                    };
        }
        return edited;
    }

    private static Fields without(Fields fields, String name) {
        return fields.contains(name) ? fields.without(name::equalsIgnoreCase) : fields;
    }

    private static Fields with(Fields fields, FieldEdit edit) {
        return new Fields.Builder().addAll(fields).add(edit.name(), edit.value()).build();
    }

    private static boolean isAllowed(FieldEdit edit) {
        return ClientFields.isName(edit.name())
                && !ClientFields.isReserved(edit.name())
                && ClientFields.isValue(edit.value());
    }
}
