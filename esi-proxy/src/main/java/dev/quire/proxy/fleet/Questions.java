package dev.quire.proxy.fleet;

import java.util.ArrayList;
import java.util.List;

/** The nodes that wait until this one has applied entries. Confined to the loop. */
final class Questions {
    private static final int MAX_QUESTIONS = 10_000;

    private final LogServer server;
    private final String self;
    private final List<Question> all = new ArrayList<>();

    /** A node wants to know when {@code id} is applied. */
    private record Question(String node, long id) {}

    /**
     * @param self this node
     */
    Questions(LogServer server, String self) {
        this.server = server;
        this.self = self;
    }

    /** Answers at once if that is applied; returns whether. */
    boolean ask(String node, long id, long applied) {
        boolean isApplied = id <= applied;
        if (isApplied) {
            server.tell(node, self, id);
        } else if (all.size() < MAX_QUESTIONS) {
            all.add(new Question(node, id));
        }
        return isApplied;
    }

    void answer(long applied) {
        for (int i = all.size() - 1; i >= 0; i--) {
            var question = all.get(i);
            if (question.id() <= applied) {
                server.tell(question.node(), self, question.id());
                all.remove(i);
            }
        }
    }

    void clear() {
        all.clear();
    }
}
