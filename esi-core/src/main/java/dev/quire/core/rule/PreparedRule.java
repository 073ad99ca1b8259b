package dev.quire.core.rule;

import java.util.List;
import java.util.Set;

/**
 * A rule of the request phase and what its changes mean for the cache key.
 *
 * @param unkeyedFields names, in lower case, of the fields that it writes with values that the key
 *     does not show
 * @param removesUnkeyed whether it removes fields or cookies of some requests with a key, but not
 *     of all
 * @param choosesUnkeyed whether it chooses an origin for some requests with a key, but not for all
 * @param isMarked whether the key gets the name of the rule
 * @param added values that become part of the key by themselves
 * @param selecting the values of clients by which it selects the response for a URL
 * @param skipping the values of clients that decide whether it keeps later rules from applying
 * @param ofUrl whether it may apply to requests with the URL and the method of one
 */
record PreparedRule(
        RequestRule rule,
        Set<String> unkeyedFields,
        boolean removesUnkeyed,
        boolean choosesUnkeyed,
        boolean isMarked,
        List<TextTemplate> added,
        ClientInputs selecting,
        ClientInputs skipping,
        Condition ofUrl) {

    /** Returns the rule whose changes need no more in the key than it says. */
    static PreparedRule keyed(RequestRule rule) {
        return new PreparedRule(
                rule,
                Set.of(),
                false,
                false,
                false,
                List.of(),
                ClientInputs.NONE,
                ClientInputs.NONE,
                rule.condition());
    }
}
