/**
 * Language cases: files that say what an origin answers, what a client asks, and what both must
 * see. Reads them, runs each in every way a document can arrive, and says what differs. Leaves to
 * others: assembling, which is done by whatever is under test.
 */
@NullMarked
package dev.quire.test.cases;

import org.jspecify.annotations.NullMarked;
