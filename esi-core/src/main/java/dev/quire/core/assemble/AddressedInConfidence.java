package dev.quire.core.assemble;

import dev.quire.core.expression.Value;
import dev.quire.core.expression.Value.Source;
import dev.quire.core.expression.Variables;
import org.jspecify.annotations.Nullable;

/**
 * What a fragment may know whose address holds more than a link: its own address is as confidential
 * as what its parent has put there.
 */
record AddressedInConfidence(Variables others, Source confidentiality) implements Variables {

    /** {@code variables} as a fragment knows them whose address holds values of that source. */
    static Variables of(Variables variables, Source confidentiality) {
        return confidentiality.compareTo(Source.ADDRESS) <= 0
                ? variables
                : new AddressedInConfidence(variables, confidentiality);
    }

    @Override
    public Value value(String name, @Nullable String key) {
        var value = others.value(name, key);
        return isOfAddress(name) && value instanceof Value.Text text
                ? new Value.Text(text.text(), text.source().and(confidentiality))
                : value;
    }

    @Override
    public Source source(String name) {
        var source = others.source(name);
        return isOfAddress(name) ? source.and(confidentiality) : source;
    }

    private static boolean isOfAddress(String name) {
        return name.equals("QUERY_STRING") || name.equals("REQUEST_PATH");
    }
}
