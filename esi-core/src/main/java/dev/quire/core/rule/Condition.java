package dev.quire.core.rule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A condition of a rule. Immutable; matching allocates nothing unless it searches a pattern. */
public interface Condition {

    /** The condition of a rule that has none. */
    Condition ALWAYS =
            new Condition() {
                @Override
                public boolean holds(RuleValues values) {
                    return true;
                }

                @Override
                public Set<Input> inputs() {
                    return Set.of();
                }
            };

    /**
     * Whether {@code values} match.
     *
     * @throws RuleError if that cannot be determined for these values
     */
    boolean holds(RuleValues values);

    /** The values that it reads. */
    Set<Input> inputs();

    /** The names of the variables that it reads. */
    default Set<String> variables() {
        return Set.of();
    }

    /** The names, in lower case, of the request fields that it reads. */
    default Set<String> headers() {
        return Set.of();
    }

    /**
     * Returns the part of it that the URL and the method decide, as caches know both: a condition
     * that holds for all requests with them if this one holds for any.
     */
    default Condition ofUrl() {
        return inputs().stream().allMatch(input -> input.isOfUrl() || input == Input.METHOD)
                ? this
                : ALWAYS;
    }

    /** Whether it holds only for requests of certain hosts. */
    default boolean namesHosts() {
        return inputs().contains(Input.HOST);
    }

    /** Returns the condition that all of {@code conditions} hold, tested in order. */
    static Condition all(List<Condition> conditions) {
        return switch (conditions.size()) {
            case 0 -> ALWAYS;
            case 1 -> conditions.getFirst();
            default -> new All(conditions.toArray(Condition[]::new));
        };
    }

    /** Returns the condition that {@code condition} does not hold. */
    static Condition not(Condition condition) {
        return new Not(condition);
    }

    /** All of several conditions. */
    final class All implements Condition {
        private final Condition[] conditions;

        private All(Condition[] conditions) {
            this.conditions = conditions;
        }

        @Override
        public boolean holds(RuleValues values) {
            for (var condition : conditions) {
                if (!condition.holds(values)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public Set<Input> inputs() {
            var inputs = EnumSet.noneOf(Input.class);
            for (var condition : conditions) {
                inputs.addAll(condition.inputs());
            }
            return inputs;
        }

        @Override
        public Set<String> variables() {
            var names = new ArrayList<String>();
            for (var condition : conditions) {
                names.addAll(condition.variables());
            }
            return Set.copyOf(names);
        }

        @Override
        public Set<String> headers() {
            var names = new HashSet<String>();
            for (var condition : conditions) {
                names.addAll(condition.headers());
            }
            return names;
        }

        @Override
        public Condition ofUrl() {
            return all(Arrays.stream(conditions).map(Condition::ofUrl).toList());
        }

        @Override
        public boolean namesHosts() {
            return Arrays.stream(conditions).anyMatch(Condition::namesHosts);
        }
    }

    /** The negation of a condition. */
    record Not(Condition condition) implements Condition {
        @Override
        public boolean holds(RuleValues values) {
            return !condition.holds(values);
        }

        @Override
        public Set<Input> inputs() {
            return condition.inputs();
        }

        @Override
        public boolean namesHosts() {
            return false;
        }

        @Override
        public Set<String> variables() {
            return condition.variables();
        }

        @Override
        public Set<String> headers() {
            return condition.headers();
        }
    }
}
