package dev.quire.proxy.lint;

/** Thrown if a page cannot be read. */
public final class UnreadablePage extends Exception {
    private static final long serialVersionUID = 1;

    private final String expected;

    /**
     * @param what the problem, as a predicate of the page's name
     * @param expected the valid input
     */
    UnreadablePage(String what, String expected) {
        super(what);
        this.expected = expected;
    }

    /** The problem, as a predicate of the page's name. */
    public String what() {
        return String.valueOf(getMessage());
    }

    /** The valid input. */
    public String expected() {
        return expected;
    }
}
