package dev.quire.core.assemble;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
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
import org.jspecify.annotations.Nullable;

/**
 * How values are written as bytes and read back, by their types: sealed interfaces, records, enums,
 * lists, optionals and a few simple types. A record's components are written in order, before those
 * of a sealed interface the number of its case. Immutable once the class that made it is there.
 */
final class Shapes {

    /** How values of one type are written. */
    interface Shape<T> {
        void write(T value, PlanOutput out);

        T read(PlanInput in) throws UnreadablePlanException;
    }

    /** Writes a value of one type. */
    interface Writer<T> {
        void write(T value, PlanOutput out);
    }

    /** Reads a value of one type. */
    interface Reader<T> {
        T read(PlanInput in) throws UnreadablePlanException;
    }

    /** 2^31 seconds, the longest lifetime. */
    private static final long LONGEST_MILLIS = 1_000L << 31;

    private final Map<Type, Shape<Object>> byType = new HashMap<>();
    private final StringBuilder description = new StringBuilder();

    Shapes() {
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

    /** Values of {@code type} are written in a way of their own. */
    @SuppressWarnings("unchecked") // the class of a primitive type does not cast
    <T> void put(Class<T> type, Writer<T> writer, Reader<T> reader) {
        byType.put(
                type,
                new Shape<Object>() {
                    @Override
                    public void write(Object value, PlanOutput out) {
                        writer.write((T) value, out);
                    }

                    @Override
                    public Object read(PlanInput in) throws UnreadablePlanException {
                        return reader.read(in);
                    }
                });
    }

    /** {@code constant}, which many values of its type equal, is written as a single byte. */
    void putConstant(Record constant) {
        var shape = new OfRecord(constant.getClass(), constant);
        byType.put(constant.getClass(), shape);
        shape.resolve();
    }

    /** A number that differs if any type is made of other parts than those seen so far. */
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

    /** How values of {@code type} are written. */
    @SuppressWarnings("unchecked") // the shape of a type reads and writes its values
    <T> Shape<T> of(Class<T> type) {
        return (Shape<T>) shape(type);
    }

    /** How lists of {@code type} are written. */
    @SuppressWarnings("unchecked") // the shape of a type reads and writes its values
    <T> Shape<List<T>> listOf(Class<T> type) {
        return (Shape<List<T>>) (Shape<?>) new OfList(shape(type));
    }

    private Shape<Object> shape(Type type) {
        var known = byType.get(type);
        if (known != null) {
            return known;
        }
        if (type instanceof ParameterizedType generic) {
            var item = shape(generic.getActualTypeArguments()[0]);
            if (generic.getRawType() == List.class) {
                return new OfList(item);
            }
            if (generic.getRawType() == Optional.class) {
                return new OfOptional(item);
            }
            throw new IllegalStateException("neither a list nor an optional: " + type);
        }
        var plain = (Class<?>) type;
        if (plain.isSealed()) {
            var shape = new OfSealed(plain.getPermittedSubclasses());
            byType.put(type, shape);
            shape.resolve();
            return shape;
        }
        if (plain.isRecord()) {
            var shape = new OfRecord(plain, null);
            byType.put(type, shape);
            shape.resolve();
            return shape;
        }
        var shape =
                plain.isEnum() ? new OfEnum(List.of(plain.getEnumConstants())) : new OfNone(plain);
        description.append(type).append(shape).append('\n');
        byType.put(type, shape);
        return shape;
    }

    private record OfList(Shape<Object> item) implements Shape<Object> {
        @Override
        public void write(Object value, PlanOutput out) {
            var items = (List<?>) value;
            out.number(items.size());
            for (var each : items) {
                item.write(each, out);
            }
        }

        @Override
        public Object read(PlanInput in) throws UnreadablePlanException {
            int count = in.count();
            // Each of many lists within one another could claim all of the rest.
            var items = new ArrayList<>(Math.min(count, 16));
            for (int i = 0; i < count; i++) {
                items.add(item.read(in));
            }
            return List.copyOf(items);
        }
    }

    private record OfOptional(Shape<Object> item) implements Shape<Object> {
        @Override
        public void write(Object value, PlanOutput out) {
            var optional = (Optional<?>) value;
            out.flag(optional.isPresent());
            optional.ifPresent(each -> item.write(each, out));
        }

        @Override
        public Object read(PlanInput in) throws UnreadablePlanException {
            return in.flag() ? Optional.of(item.read(in)) : Optional.empty();
        }
    }

    private record OfEnum(List<?> constants) implements Shape<Object> {
        @Override
        public void write(Object value, PlanOutput out) {
            out.number(constants.indexOf(value));
        }

        @Override
        public Object read(PlanInput in) throws UnreadablePlanException {
            return constants.get(in.number(constants.size() - 1));
        }
    }

    /** Of a type whose values live no longer than a request: a plan that is kept has none. */
    private record OfNone(Class<?> type) implements Shape<Object> {
        @Override
        public void write(Object value, PlanOutput out) {
            throw new IllegalArgumentException("no part of a plan that is kept: " + type);
        }

        @Override
        public Object read(PlanInput in) throws UnreadablePlanException {
            throw new UnreadablePlanException("a value that cannot be kept");
        }
    }

    private final class OfSealed implements Shape<Object> {
        private final Class<?>[] cases;
        private final List<Shape<Object>> shapes = new ArrayList<>();
        private final Map<Class<?>, Integer> numbers = new HashMap<>();

        OfSealed(Class<?>[] cases) {
            this.cases = cases;
        }

        private void resolve() {
            description.append(Arrays.toString(cases)).append('\n');
            for (int i = 0; i < cases.length; i++) {
                numbers.put(cases[i], i);
                shapes.add(shape(cases[i]));
            }
        }

        @Override
        public void write(Object value, PlanOutput out) {
            int number = numbers.getOrDefault(value.getClass(), -1);
            out.number(number);
            shapes.get(number).write(value, out);
        }

        @Override
        public Object read(PlanInput in) throws UnreadablePlanException {
            return shapes.get(in.number(shapes.size() - 1)).read(in);
        }
    }

    private final class OfRecord implements Shape<Object> {
        private final Class<?> type;
        private final @Nullable Record constant;
        private final Method[] accessors;
        private final List<Shape<Object>> shapes = new ArrayList<>();
        private final Constructor<?> constructor;

        OfRecord(Class<?> type, @Nullable Record constant) {
            this.type = type;
            this.constant = constant;
            var components = type.getRecordComponents();
            this.accessors =
                    Arrays.stream(components)
                            .map(RecordComponent::getAccessor)
                            .toArray(Method[]::new);
            try {
                this.constructor =
                        type.getDeclaredConstructor(
                                Arrays.stream(components)
                                        .map(RecordComponent::getType)
                                        .toArray(Class<?>[]::new));
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException("a record without its constructor", e);
            }
        }

        private void resolve() {
            description.append(type.getName());
            for (var accessor : accessors) {
                description.append(' ').append(accessor.toGenericString());
            }
            description.append('\n');
            for (var accessor : accessors) {
                shapes.add(shape(accessor.getGenericReturnType()));
            }
        }

        @Override
        public void write(Object value, PlanOutput out) {
            if (constant != null) {
                boolean isOther = !constant.equals(value);
                out.flag(isOther);
                if (!isOther) {
                    return;
                }
            }
            try {
                for (int i = 0; i < accessors.length; i++) {
                    shapes.get(i).write(accessors[i].invoke(value), out);
                }
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException("a record's component cannot be read", e);
            }
        }

        @Override
        public Object read(PlanInput in) throws UnreadablePlanException {
            if (constant != null && !in.flag()) {
                return constant;
            }
            in.enter();
            var components = new Object[accessors.length];
            for (int i = 0; i < accessors.length; i++) {
                components[i] = shapes.get(i).read(in);
            }
            in.leave();
            try {
                return constructor.newInstance(components);
            } catch (InvocationTargetException e) {
                throw new UnreadablePlanException(type + " refuses its components", e);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("a record cannot be made", e);
            }
        }
    }
}
