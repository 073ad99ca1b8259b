package dev.quire.test.attacks;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One hostile dialogue.
 *
 * @param file its name
 * @param rule the rule that it proves, in words
 * @param section the section of the specification that the rule follows from
 * @param subjects the proxies it applies to
 * @param config sections of Quire's configuration as YAML, by name
 * @param answers scripted answers, in the order of the file
 * @param steps requests and expectations, in order
 */
record Dialogue(
        String file,
        String rule,
        String section,
        Set<String> subjects,
        Map<String, String> config,
        List<ScriptedAnswer> answers,
        List<Step> steps) {
    Dialogue {
        subjects = Set.copyOf(subjects);
        config = Map.copyOf(config);
        answers = List.copyOf(answers);
        steps = List.copyOf(steps);
    }

    /** The proxy, an origin behind it, or the second origin for other hosts. */
    enum Server {
        ORIGIN,
        OTHER;

        @Override
        public String toString() {
            return this == ORIGIN ? "origin" : "other";
        }
    }

    /**
     * An answer of a server for a path; {@code *} is any path without an answer. Several answers
     * for a path are given in turn.
     *
     * @param head the status line's rest and the field lines
     */
    record ScriptedAnswer(Server server, String path, List<Template> head, Template body) {
        ScriptedAnswer {
            head = List.copyOf(head);
        }
    }

    /** A line of the dialogue. */
    sealed interface Step {
        /** Its number in the file, from 1. */
        int line();

        /**
         * A request.
         *
         * @param actor attacker, victim or control
         * @param from the client's address
         * @param isAgain whether it is sent on the actor's open connection
         * @param isOpen whether the next request does not wait for its response
         */
        record Request(
                int line,
                String actor,
                String from,
                boolean isAgain,
                boolean isOpen,
                Template bytes)
                implements Step {

            /** Whether it shows that the honest case works. */
            boolean isControl() {
                return actor.equals("control");
            }
        }

        /** An expectation for the last response, or for the servers. */
        record Expect(int line, Expectation what) implements Step {}
    }
}
