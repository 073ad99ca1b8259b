package dev.quire.core.assemble;

import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Encodes and decodes values by their types: sealed interfaces, records, enums, lists, optionals
 * and a few simple types. A record's components are written in order; the components of a sealed
 * interface's value are preceded by the number of its case. Immutable once in use.
 */
final class ValueCodecs {

    /** Encodes and decodes values of one type. */
    interface Codec<T> {
        void write(T value, PlanOutput out);

        T read(PlanInput in);
    }

    /** For values that contain no nested values of unlimited depth. */
    private record Simple(BiConsumer<Object, PlanOutput> writer, Function<PlanInput, ?> reader)
            implements Codec<Object> {
        @Override
        public void write(Object value, PlanOutput out) {
            writer.accept(value, out);
        }

        @Override
        public Object read(PlanInput in) {
            return reader.apply(in);
        }
    }

    /** More than the nesting limits of the parser, 200 for blocks and 100 for expressions. */
    private static final int MAX_DEPTH = 1_500;

    /** 2^31 seconds, the longest lifetime. */
    private static final long LONGEST_MILLIS = 1_000L << 31;

    private final Map<Type, Codec<Object>> byType = new HashMap<>();
    private final StringBuilder description = new StringBuilder();

    ValueCodecs() {
        put(int.class, (value, out) -> out.number(value), in -> in.number(Integer.MAX_VALUE));
        put(long.class, (value, out) -> out.number(value), PlanInput::number);
        put(boolean.class, (value, out) -> out.flag(value), PlanInput::flag);
        put(String.class, (value, out) -> out.text(value), PlanInput::text);
        put(
                Duration.class,
                (value, out) -> out.number(value.toMillis()),
                in -> Duration.ofMillis(in.number(LONGEST_MILLIS)));
        put(
                OptionalInt.class,
                (value, out) -> out.number(value.isEmpty() ? 0 : 1L + value.getAsInt()),
                in -> {
                    int number = in.number(Integer.MAX_VALUE);
                    return number == 0 ? OptionalInt.empty() : OptionalInt.of(number - 1);
                });
    }

    /** Sets a custom encoding for values of {@code type}. */
    @SuppressWarnings("unchecked") // a shape is only given values of its type
    <T> void put(Class<T> type, BiConsumer<T, PlanOutput> writer, Function<PlanInput, T> reader) {
        byType.put(type, new Simple((BiConsumer<Object, PlanOutput>) writer, reader));
    }

    /** Encodes {@code constant}, a frequent value of its type, as a single byte. */
    void putConstant(Record constant) {
        var other = shape(constant.getClass());
        byType.put(
                constant.getClass(),
                new Simple(
                        (value, out) -> {
                            out.flag(!constant.equals(value));
                            if (!constant.equals(value)) {
                                other.write(value, out);
                            }
                        },
                        in -> in.flag() ? other.read(in) : constant));
    }

    /** Returns a number that changes if the structure of any type seen so far changes. */
    long fingerprint() {
        return hash(description);
    }

    /** FNV-1a: the same on every machine. */
    static long hash(CharSequence text) {
        long hash = 0xCBF29CE484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001B3L;
        }
        return hash;
    }

    @SuppressWarnings("unchecked") // the shape of a type reads and writes its values
    <T> Codec<T> of(Class<T> type) {
        return (Codec<T>) shape(type);
    }

    @SuppressWarnings("unchecked") // the shape of a type reads and writes its values
    <T> Codec<List<T>> listOf(Class<T> type) {
        return (Codec<List<T>>) (Codec<?>) list(shape(type));
    }

    private Codec<Object> shape(Type type) {
        var known = byType.get(type);
        if (known != null) {
            return known;
        }
        if (type instanceof ParameterizedType generic) {
            var item = shape(generic.getActualTypeArguments()[0]);
            if (generic.getRawType() == List.class) {
                return list(item);
            }
            if (generic.getRawType() == Optional.class) {
                return optional(item);
            }
            throw new IllegalStateException("neither a list nor an optional: " + type);
        }
        var plain = (Class<?>) type;
        if (plain.isSealed()) {
            return sealed(plain);
        }
        if (plain.isRecord()) {
            return record(plain);
        }
        description.append(type).append(Arrays.toString(plain.getEnumConstants())).append('\n');
        var shape = plain.isEnum() ? constants(plain) : none(plain);
        byType.put(type, shape);
        return shape;
    }

    private static Codec<Object> list(Codec<Object> item) {
        return new Codec<>() {
            @Override
            public void write(Object value, PlanOutput out) {
                var items = (List<?>) value;
                out.number(items.size());
                for (var each : items) {
                    item.write(each, out);
                }
            }

            @Override
            public Object read(PlanInput in) {
                int count = in.count();
                // The count is not trusted: each of many nested lists could claim the rest.
                var items = new ArrayList<>(Math.min(count, 16));
                for (int i = 0; i < count; i++) {
                    items.add(item.read(in));
                }
                return List.copyOf(items);
            }
        };
    }

    private static Codec<Object> optional(Codec<Object> item) {
        return new Simple(
                (value, out) -> {
                    var optional = (Optional<?>) value;
                    out.flag(optional.isPresent());
                    optional.ifPresent(each -> item.write(each, out));
                },
                in -> in.flag() ? Optional.of(item.read(in)) : Optional.empty());
    }

    private static Codec<Object> constants(Class<?> type) {
        var constants = List.<Object>of(type.getEnumConstants());
        return new Simple(
                (value, out) -> out.number(constants.indexOf(value)),
                in -> constants.get(in.number(constants.size() - 1)));
    }

    /** For a type whose values live no longer than a request: a stored plan has none. */
    private static Codec<Object> none(Class<?> type) {
        return new Simple(
                (value, out) -> {
                    throw new IllegalArgumentException("not allowed in a stored plan: " + type);
                },
                in -> {
                    throw new IllegalArgumentException("a value that cannot be stored");
                });
    }

    private Codec<Object> sealed(Class<?> type) {
        var cases = List.of(type.getPermittedSubclasses());
        var shapes = new ArrayList<Codec<Object>>();
        var shape =
                new Codec<Object>() {
                    @Override
                    public void write(Object value, PlanOutput out) {
                        int number = cases.indexOf(value.getClass());
                        out.number(number);
                        shapes.get(number).write(value, out);
                    }

                    @Override
                    public Object read(PlanInput in) {
                        return shapes.get(in.number(shapes.size() - 1)).read(in);
                    }
                };
        byType.put(type, shape);
        description.append(cases).append('\n');
        cases.forEach(each -> shapes.add(shape(each)));
        return shape;
    }

    private Codec<Object> record(Class<?> type) {
        var components = type.getRecordComponents();
        var constructor = constructor(type, components);
        var shapes = new ArrayList<Codec<Object>>();
        var shape =
                new Codec<Object>() {
                    @Override
                    public void write(Object value, PlanOutput out) {
                        for (int i = 0; i < components.length; i++) {
                            shapes.get(i).write(component(components[i], value), out);
                        }
                    }

                    @Override
                    public Object read(PlanInput in) {
                        if (++in.depth > MAX_DEPTH) {
                            throw new IllegalArgumentException("values are nested too deeply");
                        }
                        var values = new Object[components.length];
                        for (int i = 0; i < values.length; i++) {
                            values[i] = shapes.get(i).read(in);
                        }
                        in.depth--;
                        return make(constructor, values);
                    }
                };
        byType.put(type, shape);
        description.append(type.getName());
        for (var component : components) {
            description.append(' ').append(component.getAccessor().toGenericString());
            shapes.add(shape(component.getGenericType()));
        }
        return shape;
    }

    private static Constructor<?> constructor(Class<?> type, RecordComponent[] components) {
        var types = Arrays.stream(components).map(RecordComponent::getType);
        try {
            return type.getDeclaredConstructor(types.toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("a record without its constructor", e);
        }
    }

    private static Object component(RecordComponent component, Object value) {
        try {
            return component.getAccessor().invoke(value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a record's component cannot be read", e);
        }
    }

    private static Object make(Constructor<?> constructor, Object[] components) {
        try {
            return constructor.newInstance(components);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(constructor + " rejects its components", e);
        }
    }
}
