package dev.quire.core.rule;

/**
 * Thrown if a condition or template has no value for a request, such as a division by zero. The
 * rule then counts as matching if it refuses or passes requests, otherwise as not matching.
 */
public final class RuleError extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * @param message must not contain text of the request
     */
    public RuleError(String message) {
        super(message, null, false, false);
    }
}
