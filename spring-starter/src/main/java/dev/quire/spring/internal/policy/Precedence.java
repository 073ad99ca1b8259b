package dev.quire.spring.internal.policy;

import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiPage;
import dev.quire.spring.EsiResponse;
import dev.quire.spring.NoEsi;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * The order of policies: {@link EsiResponse} overrides the annotation on the method, which
 * overrides the one on the class, which overrides a path rule; without any, a response is private.
 * Each replaces the next one entirely, except {@link EsiResponse}, which replaces only the values
 * it sets. Code cannot make public what is declared private or {@link NoEsi}.
 */
public final class Precedence {

    private Precedence() {}

    /** Returns the declaration on {@code method}, or else on {@code type}. */
    public static Optional<Declaration> declared(Method method, Class<?> type) {
        var handler = type.getName() + "#" + method.getName();
        return declared(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY), handler)
                .or(() ->
                        declared(
                                MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY),
                                handler));
    }

    public static List<String> variants(Method method, Class<?> type) {
        return declared(method, type).map(Declaration::variants).orElse(List.of());
    }

    private static Optional<Declaration> declared(MergedAnnotations on, String handler) {
        var fragments =
                on.stream(EsiFragment.class)
                        .filter(found -> isNearest(found, on.get(EsiFragment.class)))
                        .toList();
        var never = on.get(NoEsi.class);
        boolean isNever =
                never.isPresent()
                        && (fragments.isEmpty()
                                || never.getAggregateIndex()
                                        <= fragments.getFirst().getAggregateIndex());
        if (isNever
                && !fragments.isEmpty()
                && never.getAggregateIndex() == fragments.getFirst().getAggregateIndex()) {
            throw new IllegalArgumentException(
                    "@NoEsi on %s: it cannot be combined with @EsiFragment or @EsiPage (expected one of them)"
                            .formatted(handler));
        }
        if (fragments.size() > 1) {
            throw new IllegalArgumentException(
                    "@EsiFragment on %s: it is declared more than once, perhaps through @EsiPage (expected one)"
                            .formatted(handler));
        }
        if (isNever) {
            return Optional.of(new Declaration.Never());
        }
        if (fragments.isEmpty()) {
            return Optional.empty();
        }
        var fragment = fragments.getFirst();
        return Optional.of(
                fragment.getMetaTypes().contains(EsiPage.class)
                        ? new Declaration.Page(
                                fragment.synthesize(), on.get(EsiPage.class).getInt("maxIncludes"))
                        : new Declaration.Fragment(fragment.synthesize()));
    }

    private static boolean isNearest(
            MergedAnnotation<EsiFragment> found, MergedAnnotation<EsiFragment> first) {
        return found.getAggregateIndex() == first.getAggregateIndex();
    }

    /** The declaration of an annotation, not validated. */
    public sealed interface Declaration {
        default List<String> variants() {
            return switch (this) {
                case Fragment(var members) -> List.of(members.vary());
                case Page(var members, int most) -> List.of(members.vary());
                case Never() -> List.of();
            };
        }

        /** {@link EsiFragment}. */
        record Fragment(EsiFragment members) implements Declaration {}

        /** {@link EsiPage}. */
        record Page(EsiFragment members, int maxIncludes) implements Declaration {}

        /** {@link NoEsi}. */
        record Never() implements Declaration {}
    }
}
