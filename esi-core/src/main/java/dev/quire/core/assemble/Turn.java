package dev.quire.core.assemble;

/**
 * The work on one page that is done at once, before other work of its thread: each bound about a
 * millisecond.
 *
 * @param steps of evaluation, and nodes of documents
 * @param fragments opened
 * @param pieces written
 */
record Turn(int steps, int fragments, int pieces) {

    static final Turn STANDARD = new Turn(10_000, 500, 2_000);
}
