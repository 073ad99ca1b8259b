/**
 * Language cases: files with an origin's answers, a client's request, and the expectations for
 * both. Reads them, runs each with every way a document can arrive, and reports differences. Not
 * responsible for: assembling, which is done by the system under test.
 */
@NullMarked
package dev.quire.test.cases;

import org.jspecify.annotations.NullMarked;
