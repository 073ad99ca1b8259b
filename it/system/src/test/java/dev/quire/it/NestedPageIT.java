package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.HeldAnswers;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Parallel fetches of nested fragments, up to the page's limit (ESI 1.0 §3). */
class NestedPageIT {
    private static final int SLOTS = 32;

    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();
    private int made;

    /** A fragment and the fragments it includes, held back at the origin. */
    private record Fragment(String path, List<Fragment> children, HeldAnswers held) {
        String output() {
            return "("
                    + path
                    + children.stream().map(Fragment::output).collect(Collectors.joining())
                    + ")";
        }
    }

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void fragmentsAreInFlightAsSoonAsTheirParentHasCome() {
        var level4 = new ArrayList<>(fragments(12, List.of(), 0));
        var level3 = new ArrayList<>(fragments(12, level4, 1));
        level3.addAll(fragments(4, List.of(), 0));
        var level2 = fragments(8, level3, 2);
        var level1 = fragments(4, level2, 2);
        var levels = List.of(level1, level2, level3, level4);
        assertThat(levels.stream().mapToInt(List::size).sum()).isEqualTo(40);
        origin.on("/page", page(includes(level1)));

        try (var client = proxy.connect()) {
            client.request("GET", "/page");
            level1.forEach(each -> each.held().awaitWaiting(1));
            for (var level : levels) {
                // The last one first, so that all before it are still in flight.
                for (var parent : level.reversed()) {
                    parent.held().release();
                    parent.children().forEach(child -> child.held().awaitWaiting(1));
                }
            }

            assertThat(client.response().text())
                    .isEqualTo(level1.stream().map(Fragment::output).collect(Collectors.joining()));
        }
        assertThat(origin.requests()).hasSize(1 + 40);
    }

    @Test
    void noMoreAreInFlightThanThereAreSlots() {
        var fragments = fragments(40, List.of(), 0);
        origin.on("/page", page(includes(fragments))).on("/other", fragment("other"));

        try (var client = proxy.connect()) {
            client.request("GET", "/page");
            fragments.subList(0, SLOTS).forEach(each -> each.held().awaitWaiting(1));
            // Served on the same loop: all earlier requests have been sent when it is answered.
            proxy.get("/other");
            assertThat(origin.paths()).hasSize(2 + SLOTS);
            for (int next = SLOTS; next < fragments.size(); next++) {
                fragments.get(next - SLOTS).held().release();
                fragments.get(next).held().awaitWaiting(1);
                assertThat(origin.paths()).hasSize(2 + next + 1);
            }
            fragments.forEach(each -> each.held().release());

            assertThat(client.response().text())
                    .isEqualTo(
                            fragments.stream().map(Fragment::output).collect(Collectors.joining()));
        }
    }

    /** Returns {@code count} fragments, each with {@code each} of {@code below} as children. */
    private List<Fragment> fragments(int count, List<Fragment> below, int each) {
        return IntStream.range(0, count)
                .mapToObj(i -> held(below.subList(i * each, (i + 1) * each)))
                .toList();
    }

    private Fragment held(List<Fragment> children) {
        var path = "/fragment/" + made++;
        var text = "(" + path + includes(children) + ")";
        origin.on(path, children.isEmpty() ? fragment(text) : page(text));
        return new Fragment(path, children, origin.hold(path));
    }

    private static String includes(List<Fragment> fragments) {
        return fragments.stream()
                .map(fragment -> include(fragment.path()))
                .collect(Collectors.joining());
    }
}
