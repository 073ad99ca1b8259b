package dev.quire.bench.peers;

/** Something the caller can put right: the message says what, and what was expected. */
final class CannotMeasure extends Exception {
    CannotMeasure(String message) {
        super(message);
    }
}
