package dev.quire.core.rule;

import java.util.ArrayList;
import java.util.List;

/** All rules of a configuration, by phase. */
public record Rules(RequestRules request, ResponseRules response, DeliverRules deliver) {
    public static final Rules NONE =
            new Rules(RequestRules.NONE, ResponseRules.NONE, DeliverRules.NONE);

    /** The names of all rules. */
    public List<String> names() {
        var names = new ArrayList<>(request.names());
        names.addAll(response.names());
        names.addAll(deliver.names());
        return names;
    }

    public boolean isEmpty() {
        return request.isEmpty() && response.isEmpty() && deliver.isEmpty();
    }
}
