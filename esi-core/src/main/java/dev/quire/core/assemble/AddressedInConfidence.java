package dev.quire.core.assemble;

import dev.quire.core.expression.Value;
import dev.quire.core.expression.Value.Source;
import dev.quire.core.expression.Variables;
import org.jspecify.annotations.Nullable;

/**
 * The variables of a fragment whose address contains confidential values: its query and path are as
 * confidential as the values its parent put there.
 */
record AddressedInConfidence(Variables others, Source confidentiality) implements Variables {

    /** Returns {@code variables} for a fragment whose address contains values of that source. */
    static Variables of(Variables variables, Source confidentiality) {
        return confidentiality.compareTo(Source.ADDRESS) <= 0
                ? variables
                : new AddressedInConfidence(variables, confidentiality);
    }

    @Override
    public Value value(String name, @Nullable String key) {
        var value = others.value(name, key);
        return isOfAddress(name) ? Value.atLeast(value, confidentiality) : value;
    }

    @Override
    public Source source(String name) {
        var source = others.source(name);
        return isOfAddress(name) ? source.and(confidentiality) : source;
    }

    @Override
    public boolean changesResponse() {
        return others.changesResponse();
    }

    private static boolean isOfAddress(String name) {
        return name.equals("QUERY_STRING") || name.equals("REQUEST_PATH");
    }
}
