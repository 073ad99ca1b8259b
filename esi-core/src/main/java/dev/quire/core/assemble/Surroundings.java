package dev.quire.core.assemble;

import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.Evaluation.Problems;
import dev.quire.core.expression.Variables;
import dev.quire.core.policy.CacheKey;

/** What the documents of one page may know. Asked only by those that evaluate anything. */
public interface Surroundings {

    /** The evaluation all documents of the page share. Asked once. */
    Evaluation evaluation(Problems problems);

    /** What the document at {@code key} may know of the request. */
    Variables variables(CacheKey key);
}
