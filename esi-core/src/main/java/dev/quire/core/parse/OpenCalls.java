package dev.quire.core.parse;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The includes and evals whose end tag may still follow. */
final class OpenCalls {

    /** An include or eval that is, or may turn out to be, a container. */
    static final class OpenCall {
        final Element element;
        final Position at;

        /** Null if it has nothing to fetch. */
        final @Nullable Call call;

        /** The number of blocks open around it. */
        final int depth;

        /** Index of its node in the enclosing block; negative if it has none. */
        final int index;

        boolean hasChildren;

        private OpenCall(Element element, Position at, @Nullable Call call, int depth, int index) {
            this.element = element;
            this.at = at;
            this.call = call;
            this.depth = depth;
            this.index = index;
        }
    }

    private final BlockStack blocks;
    private final ArrayDeque<OpenCall> calls = new ArrayDeque<>();

    OpenCalls(BlockStack blocks) {
        this.blocks = blocks;
    }

    /**
     * Adds an include or eval whose start tag is not an empty element.
     *
     * @param call null if it has nothing to fetch
     * @param index of its node in the innermost block; negative if it has none
     */
    void begin(Element element, Position at, @Nullable Call call, int index) {
        calls.push(new OpenCall(element, at, call, blocks.depth(), index));
        blocks.open().add(element);
    }

    /** Returns the call whose children or end tag may follow here, or null. */
    @Nullable OpenCall awaiting() {
        var call = calls.peek();
        return call != null && call.depth == blocks.depth() ? call : null;
    }

    void leave(OpenCall call) {
        calls.pop();
        blocks.open().take(call.element);
        if (call.call != null && call.index >= 0 && call.hasChildren) {
            blocks.top().nodes().set(call.index, call.call.node());
        }
    }

    /** Ends a call at something that cannot belong to it. */
    void leave(OpenCall call, String instead) {
        leave(call);
        if (call.hasChildren) {
            blocks.notClosed(call.at, call.element, instead);
        }
    }
}
