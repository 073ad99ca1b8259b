package dev.quire.test.cases;

/** One way to run a case. */
sealed interface Run {

    /** The origin's bodies leave in one piece; nothing is stored. */
    record Whole() implements Run {
        @Override
        public String toString() {
            return "whole";
        }
    }

    /** The origin's bodies leave in pieces of so many bytes; nothing is stored. */
    record Pieces(int bytes) implements Run {
        @Override
        public String toString() {
            return "pieces of " + bytes;
        }
    }

    /** The same request a second time, with everything stored that may be. */
    record Hit() implements Run {
        @Override
        public String toString() {
            return "hit";
        }
    }
}
