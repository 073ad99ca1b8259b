package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.RecordPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The nodes that wait until this one has applied entries. Confined to the loop. */
final class Questions {
    private static final int MAX_QUESTIONS = 10_000;

    private final LogServer server;
    private final String self;
    private final FleetPositions positions;
    private final Consumer<Runnable> kept;
    private final List<Question> all = new ArrayList<>();

    /** A node wants to know when an entry is applied. */
    private record Question(String node, RecordPosition position) {}

    /**
     * @param self this node
     * @param positions of the entries that it has applied
     * @param kept runs a task once the journal has these entries, or after a moment
     */
    Questions(LogServer server, String self, FleetPositions positions, Consumer<Runnable> kept) {
        this.server = server;
        this.self = self;
        this.positions = positions;
        this.kept = kept;
    }

    /** Answers if that is applied; returns whether. */
    boolean ask(String node, RecordPosition position) {
        boolean isApplied = positions.isApplied(position);
        if (isApplied) {
            tell(new Question(node, position));
        } else if (all.size() < MAX_QUESTIONS) {
            all.add(new Question(node, position));
        }
        return isApplied;
    }

    /** Answers those that ask for entries up to {@code applied}. */
    void answer(long applied) {
        for (int i = all.size() - 1; i >= 0; i--) {
            var question = all.get(i);
            if (question.position().number() <= applied
                    && positions.isApplied(question.position())) {
                tell(question);
                all.remove(i);
            }
        }
    }

    private void tell(Question question) {
        kept.accept(() -> server.tell(question.node(), self, question.position()));
    }

    void clear() {
        all.clear();
    }
}
