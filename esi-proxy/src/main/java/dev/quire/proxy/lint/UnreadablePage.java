package dev.quire.proxy.lint;

/** There is no page where one was to be. */
public final class UnreadablePage extends Exception {
    private static final long serialVersionUID = 1;

    private final String expected;

    /**
     * @param what is wrong, to be read behind the page's name
     * @param expected what should be there instead
     */
    UnreadablePage(String what, String expected) {
        super(what);
        this.expected = expected;
    }

    /** What is wrong, to be read behind the page's name. */
    public String what() {
        return String.valueOf(getMessage());
    }

    /** What should be there instead. */
    public String expected() {
        return expected;
    }
}
