package dev.quire.proxy.cel;

import dev.cel.common.types.CelType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.CelValue;
import dev.cel.common.values.SelectableValue;
import dev.quire.core.rule.NamedValues;
import dev.quire.core.rule.RuleValues;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Values with names as a map of the library: a name that is absent has the value "". Single values
 * are read without the others; all are read only for macros and {@code size}.
 */
final class NamedMap extends AbstractMap<String, String> {

    /**
     * Contains a map, because the library would otherwise read all of its entries whenever an
     * expression names it.
     */
    // Confined to one evaluation.
    @SuppressWarnings("Immutable")
    private static final class Wrapped extends CelValue implements SelectableValue<String> {
        private final NamedMap map;

        Wrapped(NamedMap map) {
            this.map = map;
        }

        @Override
        public Object value() {
            return map;
        }

        @Override
        public boolean isZeroValue() {
            return false;
        }

        @Override
        public CelType celType() {
            return MapType.create(SimpleType.STRING, SimpleType.STRING);
        }

        @Override
        public Object select(String name) {
            return map.get(name);
        }

        @Override
        public Optional<?> find(String name) {
            return Optional.ofNullable(map.values.apply(name));
        }
    }

    private final Function<String, @Nullable String> values;
    private final Supplier<Map<String, String>> all;
    private @Nullable Map<String, String> read;

    private NamedMap(Function<String, @Nullable String> values, Supplier<Map<String, String>> all) {
        this.values = values;
        this.all = all;
    }

    static CelValue of(NamedValues named, RuleValues values) {
        return new Wrapped(
                new NamedMap(name -> named.value(values, name), () -> named.all(values)));
    }

    static CelValue ofVariables(RuleValues values) {
        return new Wrapped(new NamedMap(values::variable, Map::of));
    }

    @Override
    public String get(@Nullable Object name) {
        var value = name instanceof String text ? values.apply(text) : null;
        return value == null ? "" : value;
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return name instanceof String text && values.apply(text) != null;
    }

    @Override
    public Set<Entry<String, String>> entrySet() {
        if (read == null) {
            read = all.get();
        }
        return read.entrySet();
    }
}
