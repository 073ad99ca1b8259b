package dev.quire.spring;

import java.util.List;

/**
 * The handlers of an application that have a policy, as its annotations and customizers declare
 * them: a bean, for what shows, checks or tests all fragments there are. Any thread.
 */
@FunctionalInterface
public interface FragmentHandlers {

    /** Every route to such a handler, by the name of its policy, then by handler. */
    List<MappedFragment> mapped();
}
