package dev.quire.test.spring;

import dev.quire.spring.invalidate.Invalidation;
import java.net.URI;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;

/** Assertions about the invalidations sent by an application. */
public final class InvalidationsAssert
        extends AbstractAssert<InvalidationsAssert, RecordingSurrogateClient> {
    private static final String WHERE_TO_LOOK =
            "is the method that changes it annotated @InvalidatesFragments, or does it call EsiInvalidator, and has its transaction been committed?";

    InvalidationsAssert(RecordingSurrogateClient actual) {
        super(actual, InvalidationsAssert.class);
    }

    /** All of {@code tags} have been invalidated, maybe more. */
    public InvalidationsAssert containsTags(String... tags) {
        var missing = new LinkedHashSet<>(Arrays.asList(tags));
        missing.removeAll(tags(told()));
        return requireNone(missing, "the tags", tags);
    }

    /** Exactly {@code tags} have been invalidated, in any order, and no URL. */
    public InvalidationsAssert containsOnlyTags(String... tags) {
        containsTags(tags);
        Set<String> more = new TreeSet<>(tags(told()));
        Arrays.asList(tags).forEach(more::remove);
        urls(told()).forEach(url -> more.add(url.toString()));
        return require(
                more.isEmpty(),
                "only the tags %s, found also %s".formatted(Arrays.toString(tags), more),
                "");
    }

    /**
     * All of {@code urls} have been invalidated, maybe more.
     *
     * @param urls absolute, or paths, which match any host
     */
    public InvalidationsAssert containsUrls(String... urls) {
        var missing = new LinkedHashSet<>(Arrays.asList(urls));
        for (var url : urls(told())) {
            missing.remove(url.toString());
            missing.remove(RecordingSurrogateClient.target(url));
        }
        return requireNone(missing, "the URLs", urls);
    }

    /** Nothing has been sent, as after a rollback. */
    public InvalidationsAssert sentNothing() {
        return require(
                told().isEmpty(),
                "nothing",
                "where a transaction is rolled back nothing is sent: is there one open when EsiInvalidator is called?");
    }

    private InvalidationsAssert requireNone(Set<String> missing, String what, String[] expected) {
        return require(
                missing.isEmpty(),
                "%s %s, found no invalidation of %s"
                        .formatted(what, Arrays.toString(expected), missing),
                WHERE_TO_LOOK);
    }

    private InvalidationsAssert require(boolean holds, String claim, String hint) {
        if (!holds) {
            throw failure(
                    "%s",
                    "expected the application to invalidate %s%n%s%s"
                            .formatted(
                                    claim,
                                    text(told()),
                                    hint.isEmpty() ? "" : "%n(%s)".formatted(hint)));
        }
        return this;
    }

    private List<Invalidation> told() {
        isNotNull();
        return actual.invalidations();
    }

    private static Set<String> tags(List<Invalidation> told) {
        return told.stream().flatMap(one -> one.tags().stream()).collect(Collectors.toSet());
    }

    private static Set<URI> urls(List<Invalidation> told) {
        return told.stream().flatMap(one -> one.urls().stream()).collect(Collectors.toSet());
    }

    private static String text(List<Invalidation> told) {
        return told.isEmpty()
                ? "it invalidated nothing"
                : told.stream()
                        .map(one -> "  " + one.tags() + " " + one.urls())
                        .collect(Collectors.joining("\n", "it invalidated, tags first:\n", ""));
    }
}
