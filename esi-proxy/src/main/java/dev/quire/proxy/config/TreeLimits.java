package dev.quire.proxy.config;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.ScalarEvent;

/**
 * The size of a tree in which every alias is a copy of the value that its anchor names. It is
 * measured from the events of the parser, before a tree is built: composing is recursive, and
 * aliases can turn a small file into a large or infinite tree.
 */
final class TreeLimits {
    static final int MAX_NODES = 100_000;
    private static final int MAX_DEPTH = 16;

    private final Deque<Collection> open = new ArrayDeque<>();
    private final Map<Anchor, Size> anchors = new HashMap<>();

    /** The nodes so far; at most one alias over the limit. */
    private int nodes;

    /** The size of a finished value; a value that is not a collection has no levels. */
    private record Size(int nodes, int levels) {}

    /** A collection whose end has not been read. */
    private static final class Collection {
        private final Optional<Anchor> anchor;
        private final int before;
        private int levels = 1;

        private Collection(Optional<Anchor> anchor, int before) {
            this.anchor = anchor;
            this.before = before;
        }
    }

    /** The fault of a file, and what was expected. */
    record Excess(String what, String expected) {}

    /** Begins the next file: the nodes of all files count, anchors are those of one file. */
    void beginFile() {
        open.clear();
        anchors.clear();
    }

    /** Adds the next event; returns the fault if it exceeds a limit. */
    @Nullable Excess add(Event event) {
        switch (event) {
            case CollectionStartEvent start -> {
                open.push(new Collection(start.getAnchor(), nodes));
                nodes++;
                return excess(open.size());
            }
            case CollectionEndEvent end -> {
                var closed = open.pop();
                var size = new Size(nodes - closed.before, closed.levels);
                closed.anchor.ifPresent(anchor -> anchors.put(anchor, size));
                addLevels(size.levels());
            }
            case AliasEvent alias -> {
                return addCopy(alias.getAlias());
            }
            case ScalarEvent scalar -> {
                nodes++;
                scalar.getAnchor().ifPresent(anchor -> anchors.put(anchor, new Size(1, 0)));
                return excess(open.size());
            }
            default -> {}
        }
        return null;
    }

    private @Nullable Excess addCopy(Anchor anchor) {
        if (open.stream().anyMatch(parent -> parent.anchor.equals(Optional.of(anchor)))) {
            return new Excess(
                    "the alias *" + anchor.getValue() + " is part of the value it names",
                    "an alias of another value");
        }
        // The composer reports an alias without an anchor.
        var size = anchors.getOrDefault(anchor, new Size(1, 0));
        nodes += size.nodes();
        addLevels(size.levels());
        return excess(open.size() + size.levels());
    }

    private void addLevels(int below) {
        if (!open.isEmpty()) {
            var parent = open.element();
            parent.levels = Math.max(parent.levels, below + 1);
        }
    }

    private @Nullable Excess excess(int depth) {
        if (depth > MAX_DEPTH) {
            return new Excess("is nested too deeply", "at most " + MAX_DEPTH + " levels");
        }
        return nodes > MAX_NODES
                ? new Excess(
                        "has too many values, each alias counted as a copy",
                        "at most " + MAX_NODES + " keys and values")
                : null;
    }
}
