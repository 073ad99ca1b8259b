package dev.quire.spring.internal.handler;

import java.util.List;

/**
 * The handlers of the application with a policy, as annotations and customizers declare them: a
 * bean for tools that list, check or test fragments. Thread-safe.
 */
@FunctionalInterface
public interface FragmentHandlers {

    /** Returns every route to such a handler, ordered by policy name, then by handler. */
    List<MappedFragment> mapped();
}
