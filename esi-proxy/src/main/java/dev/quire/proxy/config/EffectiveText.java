package dev.quire.proxy.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/** Writes the values that a configuration has, as the file would. */
final class EffectiveText {

    private EffectiveText() {}

    /** Returns {@code values}, by section and key, as YAML. */
    static String of(Map<String, Object> values) {
        return new Dump(DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).build())
                .dumpToString(values);
    }

    /** Returns {@code value} of {@code key} in the notation of the file. */
    static <T> Object of(String key, T value, ValueParser<T> notation) {
        if (SecretMask.isSecret(key) || value instanceof Token || value instanceof Secret) {
            return SecretMask.MASK;
        }
        var text = notation.writing().apply(value);
        boolean isPlain =
                (value instanceof Number || value instanceof Boolean)
                        && text.equals(value.toString());
        return isPlain ? value : Problem.withoutUserinfo(text);
    }

    /** Like {@link #of(String, Object, ValueParser)}, for a list. */
    static <T> List<Object> of(String key, List<T> values, ValueParser<T> notation) {
        // A list of its own: the same one twice would be written as an alias.
        var texts = new ArrayList<Object>();
        values.forEach(each -> texts.add(of(key, each, notation)));
        return texts;
    }
}
