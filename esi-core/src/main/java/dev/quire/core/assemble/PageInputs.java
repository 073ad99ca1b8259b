package dev.quire.core.assemble;

import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.Evaluation.Problems;
import dev.quire.core.expression.Variables;
import dev.quire.core.policy.CacheKey;

/** The variables and evaluation state for the documents of one page. Not used by static pages. */
public interface PageInputs {

    /** Returns the evaluation shared by all documents of the page. Called once. */
    Evaluation evaluation(Problems problems);

    Variables variables(CacheKey key);
}
