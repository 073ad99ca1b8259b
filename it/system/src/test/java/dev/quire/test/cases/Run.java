package dev.quire.test.cases;

/** One way to run a case. */
sealed interface Run {

    /** The origin sends bodies in one piece; nothing is stored. */
    record Whole() implements Run {
        @Override
        public String toString() {
            return "whole";
        }
    }

    /** The origin sends bodies in pieces of {@code bytes} bytes; nothing is stored. */
    record Pieces(int bytes) implements Run {
        @Override
        public String toString() {
            return "pieces of " + bytes;
        }
    }

    /** The same request a second time, with all cacheable responses stored. */
    record Hit() implements Run {
        @Override
        public String toString() {
            return "hit";
        }
    }
}
